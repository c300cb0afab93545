import { isProblemCode, PROBLEMS } from '../../../engine/contract/index.ts';
import { SAMPLES } from '../assets/site-assets.ts';
import { code, type Inline, inline, link, m, text } from '../render/inline.ts';
import {
  codeBlock,
  facts,
  folded,
  heading,
  lede,
  type Part,
  prose,
  section,
  shownOnly,
  table,
} from '../render/parts.ts';
import { developerPage } from './guide.ts';

/** What the reference page reads of an OpenAPI schema. */
interface ApiSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly items?: ApiSchema;
  readonly properties?: Named<ApiSchema>;
}

type Named<T> = Readonly<Record<string, T>>;
type Content = Named<{ readonly schema: ApiSchema }>;

interface Response {
  readonly description: string;
  readonly content?: Content;
}

interface Operation extends Readonly<Record<'operationId' | 'summary' | 'description', string>> {
  readonly deprecated?: boolean;
  readonly security: readonly Named<readonly string[]>[];
  readonly 'x-payment-info'?: Readonly<Record<'amount' | 'currency' | 'description', string>>;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description?: string;
    readonly schema: ApiSchema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly 'x-problem-codes': readonly string[];
  readonly responses: Named<{ readonly $ref: string } | Response>;
}

const METHODS = ['get', 'post', 'patch', 'delete'] as const;

/** The parts of our own API description that the reference shows. */
interface Description {
  readonly info: Readonly<Record<'title' | 'version' | 'description', string>>;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Named<
    { readonly servers?: Description['servers'] } & { readonly [M in (typeof METHODS)[number]]?: Operation }
  >;
  readonly components: { readonly schemas: Named<ApiSchema>; readonly responses: Named<Response> };
}

/** Reads the API description as it is served. */
function readDescription(json: string) {
  const { info, servers, paths, components }: Description = JSON.parse(json);
  const server = servers[0]?.url ?? '';
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      const base = item.servers?.[0]?.url ?? server;
      const address = `${base === server ? '' : base}${path}`;
      if (operation === undefined) return [];
      const responses = Object.entries(operation.responses).map(([status, response]) => ({
        status,
        ...('$ref' in response ? components.responses[nameOf(response.$ref)]! : response),
      }));
      return [{ ...operation, responses, method: method.toUpperCase(), path, address }];
    }),
  );
  return { ...info, server, operations, schemas: components.schemas };
}

type ApiOperation = ReturnType<typeof readDescription>['operations'][number];

/** The API reference, generated from the API description. */
export const reference = developerPage({
  path: '/developers/reference',
  operationId: 'getReferencePage',
  summary: 'The API reference',
  title: 'API reference',
  about: 'Every operation of the API.',
  inFull: true,
  make({ description }) {
    const { title, version, server, operations, schemas } = readDescription(description.identity.toString('utf8'));
    return {
      above: m`[Developers](site:/developers)`,
      description: `Every operation of the ${title}.`,
      data: { '@type': 'APIReference', headline: title, version },
      parts: [
        lede(m`${title}, version ${version}. Also available as [openapi.json](site:/openapi.json).`),
        facts([
          ['Base', code(server)],
          ['Responses', m`JSON; errors as [problem details](site:/developers/errors).`],
          ['Tokens', m`\`Authorization: Bearer <ACCESS_TOKEN>\`, and nowhere else. Reads need no token.`],
          ['Limits', m`Every operation can return 429: see [rate limits](site:/developers/rate-limits).`],
        ]),
        table({
          caption: 'Operations',
          columns: [{ label: 'Operation', is: ['row'] }, { label: 'Summary' }],
          rows: operations.map(({ method, path, summary, operationId }) => [
            link(code(`${method} ${path}`), `#${operationId}`),
            summary,
          ]),
        }),
        ...operations.map((operation) => operationSection(operation, server)),
        heading(2, 'Schemas'),
        prose(m`New fields may be added to any object within a version.`),
        ...Object.entries(schemas).map(([name, schema]) => schemaSection(name, schema)),
      ],
    };
  },
});

function operationSection(operation: ApiOperation, server: string): Part {
  const { operationId, method, address, summary, description, security, requestBody, deprecated = false } = operation;
  const payment = operation['x-payment-info'];
  const scopes = security.flatMap((one) => Object.values(one).flat());
  const body = requestBody?.content['application/json']?.schema;
  const rows: (readonly [string, Inline])[] = [
    ['Request', code(`${method} ${address}`)],
    ['Token', scopes.length === 0 ? text('none') : m`with the scopes ${scopes.join(', ')}`],
  ];
  if (body !== undefined) rows.push(['Body', schemaWords(body)]);
  if (payment !== undefined) {
    rows.push(['Costs', text(`${payment.amount} ${payment.currency}: ${payment.description}`)]);
  }
  if (deprecated) rows.push(['Deprecated', m`See [versions and retirement](site:/developers/versioning).`]);
  return section(
    'operation',
    heading(2, summary, operationId),
    prose(coded(description)),
    facts(rows),
    ...parameterParts(operation),
    responseTable(operation),
    ...sampleParts(operation, server),
  );
}

/** A request that a test made, and what came: as curl, and in two languages. */
function sampleParts({ operationId, method, security }: ApiOperation, server: string): Part[] {
  const sample = KNOWN_SAMPLES[operationId];
  if (sample === undefined) return [];
  const url = `${server}${sample.path}`;
  const body = sample.body === undefined ? null : JSON.stringify(sample.body);
  const headers = {
    ...(security.length === 0 ? {} : { Authorization: 'Bearer <ACCESS_TOKEN>' }),
    ...(body === null ? {} : { 'Content-Type': 'application/json' }),
  };
  const named = Object.entries(headers);
  const curl = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${url}'`,
    ...named.map(([header, value]) => `-H '${header}: ${value}'`),
    ...(body === null ? [] : [`-d '${body}'`]),
  ].join(' \\\n  ');
  const options = { method, headers, ...(body === null ? {} : { body }) };
  const python = `requests.request('${method}', '${url}', headers=${JSON.stringify(headers)}${body === null ? '' : `, data='${body}'`})`;
  return [
    codeBlock('sh', curl, `Request: ${operationId}`),
    shownOnly(
      folded(
        'In JavaScript and in Python',
        codeBlock(
          'javascript',
          `const response = await fetch('${url}', ${JSON.stringify(options, null, 2)});\nconsole.log(response.status, await response.json());`,
          `${operationId} in JavaScript`,
        ),
        codeBlock(
          'python',
          `import requests\n\nresponse = ${python}\nprint(response.status_code, response.json())`,
          `${operationId} in Python`,
        ),
      ).html,
    ),
    ...(sample.response === null
      ? []
      : [codeBlock('json', JSON.stringify(sample.response, null, 2), `Response ${sample.status}: ${operationId}`)]),
  ];
}

const KNOWN_SAMPLES: Named<{
  readonly path: string;
  readonly status: number;
  readonly body?: unknown;
  readonly response: unknown;
}> = JSON.parse(SAMPLES);

function parameterParts({ parameters = [], operationId }: ApiOperation): Part[] {
  if (parameters.length === 0) return [];
  return [
    table({
      caption: `Parameters of ${operationId}`,
      className: 'stacked',
      columns: [{ label: 'Parameter', is: ['row'] }, { label: 'In' }, { label: 'Type' }, { label: 'Description' }],
      rows: parameters.map(({ name, in: place, required, description = '', schema }) => [
        code(name),
        required ? `${place}, required` : place,
        schemaWords(schema),
        coded(description),
      ]),
    }),
  ];
}

function responseTable({ responses, operationId, 'x-problem-codes': codes }: ApiOperation): Part {
  const codesOf = (status: string) =>
    codes.filter((named) => isProblemCode(named) && String(PROBLEMS[named].status) === status);
  return table({
    caption: `Responses of ${operationId}`,
    columns: [{ label: 'Status', is: ['row'] }, { label: 'Description' }, { label: 'Body' }],
    rows: responses.map(({ status, description, content = {} }) => {
      const [mediaType, { schema } = { schema: undefined }] = Object.entries(content)[0] ?? [];
      const body = mediaType === undefined || schema === undefined ? text('none') : schemaWords(schema);
      return [status, withCodes([description, codesOf(status).join(', ')].join(' ').trim()), body];
    }),
  });
}

/** A text with code between backticks. */
function coded(words: string): Inline {
  return inline(words.split('`').map((piece, at) => (at % 2 === 1 ? code(piece) : text(piece))));
}

/** A sentence with its problem codes linked to their pages. */
function withCodes(sentence: string): Inline {
  const pieces = sentence.split(/(\b[a-z]+(?:_[a-z0-9]+)+\b)/);
  return inline(
    pieces.map((piece) => (isProblemCode(piece) ? link(code(piece), `site:/developers/errors/${piece}`) : text(piece))),
  );
}

function schemaSection(name: string, { description = '', properties = {}, required = [] }: ApiSchema): Part {
  return section(
    'schema',
    heading(3, name, `schema-${name}`),
    ...(description === '' ? [] : [prose(text(description))]),
    table({
      caption: `Fields of ${name}`,
      className: 'stacked',
      columns: [{ label: 'Field', is: ['row'] }, { label: 'Type' }, { label: 'Description' }],
      rows: Object.entries(properties).map(([member, schema]) => [
        code(member),
        m`${schemaWords(schema)}${required.includes(member) ? ', required' : ''}`,
        coded(schema.description ?? ''),
      ]),
    }),
  );
}

function nameOf($ref: string): string {
  return $ref.split('/').at(-1) ?? '';
}

/** A short text for a schema; named schemas become links. */
function schemaWords(schema: ApiSchema): Inline {
  const { $ref, type = 'any', format, nullable, enum: values, items, minimum, maximum } = schema;
  if ($ref !== undefined) {
    const name = nameOf($ref);
    return link(code(name), `#schema-${name}`);
  }
  if (type === 'array' && items !== undefined) return m`list of ${schemaWords(items)}`;
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
