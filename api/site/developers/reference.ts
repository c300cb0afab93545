import { isProblemCode } from '../../../engine/contract/index.ts';
import { code, type Inline, link, m, text } from '../render/inline.ts';
import { facts, heading, lede, type Part, prose, section } from '../render/parts.ts';
import type { SitePage } from '../render/site-page.ts';
import { cell, table } from '../render/table.ts';
import { staticPage } from './guide.ts';
import { type ApiDescription, type ApiOperation, type ApiSchema, readDescription } from './open-api.ts';

/** The API reference, generated from the API description. */
export const reference = staticPage({
  path: '/developers/reference',
  operationId: 'getReferencePage',
  summary: 'The API reference',
  listed: { title: 'API reference', about: 'Every operation of the API.' },
  make: ({ description }) => referencePage(readDescription(description.identity.toString('utf8'))),
});

function referencePage({ title, version, server, operations, schemas }: ApiDescription): SitePage {
  return {
    surface: 'site',
    canonical: 'site:/developers/reference',
    area: 'Developers',
    width: 'tables',
    title: 'API reference',
    above: m`[Developers](site:/developers)`,
    description: `Every operation of the ${title}.`,
    data: { '@type': 'APIReference', headline: title, version },
    parts: [
      lede(m`${title}, version ${version}. The same description is available as [openapi.json](site:/openapi.json).`),
      facts([
        ['Base', code(server)],
        ['Responses', m`JSON; errors as [problem details](site:/developers/errors).`],
        ['Tokens', m`\`Authorization: Bearer <ACCESS_TOKEN>\`, and in no other place. Reads need no token.`],
        ['Limits', m`Every operation can return 429: see [rate limits](site:/developers/rate-limits).`],
      ]),
      table({
        caption: 'Operations',
        columns: [{ label: 'Operation', is: ['row'] }, { label: 'Summary' }],
        rows: operations.map(({ method, path, summary, operationId }) => ({
          cells: [cell(link(code(`${method} ${path}`), `#${operationId}`)), cell(summary)],
        })),
      }),
      ...operations.map((operation) => operationSection(operation, server)),
      heading(2, 'Schemas'),
      prose(m`Members may be added to any object within a version.`),
      ...Object.entries(schemas).map(([name, schema]) => schemaSection(name, schema)),
    ],
  };
}

function operationSection(operation: ApiOperation, server: string): Part {
  const { operationId, method, path, summary, description, security, requestBody, deprecated = false } = operation;
  const payment = operation['x-payment-info'];
  const scopes = security.flatMap((one) => Object.values(one).flat());
  const body = requestBody?.content['application/json']?.schema;
  const rows: (readonly [string, Inline])[] = [
    ['Request', code(`${method} ${operation.server === server ? '' : operation.server}${path}`)],
    ['Token', scopes.length === 0 ? text('none') : m`with the scopes ${scopes.join(', ')}`],
  ];
  if (body !== undefined) rows.push(['Body', schemaWords(body)]);
  if (payment !== undefined)
    rows.push(['Costs', text(`${payment.amount} ${payment.currency}: ${payment.description}`)]);
  if (deprecated) rows.push(['Deprecated', m`See [versions and retirement](site:/developers/versioning).`]);
  return section(
    'operation',
    heading(2, summary, operationId),
    prose(text(description)),
    facts(rows),
    ...parameterParts(operation),
    responseTable(operation),
  );
}

function parameterParts({ parameters = [], operationId }: ApiOperation): Part[] {
  if (parameters.length === 0) return [];
  return [
    table({
      caption: `Parameters of ${operationId}`,
      columns: [{ label: 'Parameter', is: ['row'] }, { label: 'In' }, { label: 'Type' }, { label: 'Description' }],
      rows: parameters.map(({ name, in: place, required, description = '', schema }) => ({
        cells: [
          cell(code(name)),
          cell(required ? `${place}, required` : place),
          cell(schemaWords(schema)),
          cell(description),
        ],
      })),
    }),
  ];
}

function responseTable({ responses, operationId }: ApiOperation): Part {
  return table({
    caption: `Responses of ${operationId}`,
    columns: [{ label: 'Status', is: ['row'] }, { label: 'Description' }, { label: 'Body' }],
    rows: Object.entries(responses).map(([status, { description, content = {} }]) => {
      const [mediaType, { schema } = { schema: undefined }] = Object.entries(content)[0] ?? [];
      const body = mediaType === undefined || schema === undefined ? text('none') : schemaWords(schema);
      return { cells: [cell(status), cell(withCodes(description)), cell(body)] };
    }),
  });
}

/** A sentence with its problem codes linked to their pages. */
function withCodes(sentence: string): Inline {
  return sentence.split(/(\b[a-z]+(?:_[a-z0-9]+)+\b)/).flatMap((piece) => {
    if (piece === '') return [];
    return isProblemCode(piece) ? link(code(piece), `site:/developers/errors/${piece}`) : text(piece);
  });
}

function schemaSection(name: string, { description = '', properties = {}, required = [] }: ApiSchema): Part {
  return section(
    'schema',
    heading(3, name, `schema-${name}`),
    ...(description === '' ? [] : [prose(text(description))]),
    table({
      caption: `Members of ${name}`,
      columns: [{ label: 'Member', is: ['row'] }, { label: 'Type' }, { label: 'Description' }],
      rows: Object.entries(properties).map(([member, schema]) => ({
        cells: [
          cell(code(member)),
          cell([...schemaWords(schema), ...text(required.includes(member) ? ', required' : '')]),
          cell(schema.description ?? ''),
        ],
      })),
    }),
  );
}

/** A short text for a schema; named schemas become links. */
function schemaWords(schema: ApiSchema): Inline {
  const { $ref, type = 'any', format, nullable, enum: values, items, minimum, maximum } = schema;
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? '';
    return link(code(name), `#schema-${name}`);
  }
  if (type === 'array' && items !== undefined) return [...text('list of '), ...schemaWords(items)];
  const bounds = [
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(maximum === undefined ? [] : [`to ${maximum}`]),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
  const words = [
    values === undefined ? type : `one of ${values.map(String).join(', ')}`,
    ...(format === undefined ? [] : [`(${format})`]),
    ...(nullable === true ? ['or null'] : []),
  ].join(' ');
  return text([words, ...bounds].join(', '));
}
