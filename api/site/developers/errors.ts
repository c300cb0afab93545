import { isProblemCode, PROBLEMS, type ProblemCode, type ProblemDefinition } from '../../../engine/contract/index.ts';
import { REFUSAL_CODES, type RefusalCode } from '../../../engine/contract/refusals.ts';
import { code, link, m, text } from '../render/inline.ts';
import { codeBlock, facts, heading, lede, type Part, prose } from '../render/parts.ts';
import type { SitePage } from '../render/site-page.ts';
import { cell, table } from '../render/table.ts';
import type { Guide } from './guide.ts';

const REFUSALS: Readonly<Record<RefusalCode, string>> = {
  header_invalid: 'The protected header is not as the layout asks.',
  key_unknown: 'No enrolled key has this kid.',
  key_revoked: 'The key was revoked before the snapshot was received.',
  key_foreign: 'The key belongs to another operator.',
  signature_invalid: 'The signature does not fit what was sent.',
  issued_in_future: 'iat is too far ahead; the detail tells the server’s time.',
  issued_too_long_ago: 'iat is more than 90 days old.',
  as_of_in_future: 'as_of is too far ahead.',
  as_of_too_long_ago: 'as_of is more than 90 days old.',
  stream_limit: 'The operator has no room for another stream.',
  operator_gone: 'The operator was erased before the snapshot was judged.',
  entry_poisoned: 'The entry could not be judged, again and again. It is kept for those who run the service.',
  entry_voided:
    'The snapshot was taken out afterwards by those who run the service: it was not its operator who sent it.',
};

const MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request is invalid.',
  401: 'Authentication is required, or invalid.',
  402: 'A plan is required.',
  404: 'There is no such thing.',
  405: 'Not by this method.',
  406: 'Not in a form that is accepted.',
  429: 'Too much at once.',
  500: 'The service failed.',
  503: 'The service is not ready.',
};

export const errors: Guide = {
  slug: 'errors',
  title: 'Error codes',
  about: 'Every problem the API can answer, each with a page, and every reason why a snapshot is refused.',
  parts: ({ siteUrl }) => [
    lede(
      m`Errors are RFC 9457 problem details (\`application/problem+json\`). The **code** is stable; the **type** is the address of its page here.`,
    ),
    codeBlock('json', exampleProblem(siteUrl), 'A problem'),
    ...byStatus().flatMap(([status, codes]) => [
      heading(2, `${status}`, `status-${status}`),
      prose(m`${MEANINGS[status] ?? ''}`),
      table({
        caption: `Codes with status ${status}`,
        columns: [{ label: 'Code', is: ['row'] }, { label: 'Title' }, { label: 'What helps' }],
        rows: codes.map((named) => {
          const { title, hint }: ProblemDefinition = PROBLEMS[named];
          return {
            cells: [cell(link(code(named), `site:/developers/errors/${named}`)), cell(title), cell(hint ?? '')],
          };
        }),
      }),
    ]),
    heading(2, 'Reasons of a refused snapshot'),
    prose(
      m`A snapshot that was logged and then refused is no problem but an answer: 200 with \`accepted: false\`, a **reason** and a detail.`,
    ),
    table({
      caption: 'Reasons of a refused snapshot',
      columns: [{ label: 'Reason', is: ['row'] }, { label: 'What it means' }],
      rows: REFUSAL_CODES.map((reason) => ({ cells: [cell(code(reason)), cell(REFUSALS[reason])] })),
    }),
  ],
};

/** The page that a problem's `type` names. */
export function errorPage(named: ProblemCode, siteUrl: string): SitePage {
  const { title, hint, status }: ProblemDefinition = PROBLEMS[named];
  const help: Part = hint === null ? prose(m`The detail of the problem says what is wrong.`) : prose(text(hint));
  return {
    surface: 'site',
    canonical: `site:/developers/errors/${named}`,
    area: 'developers',
    title,
    above: m`[Developers](site:/developers) / [Error codes](site:/developers/errors)`,
    description: `What the problem code ${named} means, and what helps.`,
    parts: [
      help,
      facts([
        ['Code', code(named)],
        ['HTTP status', text(status)],
        ['In general', text(MEANINGS[status] ?? '')],
        ['Type', code(`${siteUrl}/developers/errors/${named}`)],
      ]),
      prose(m`See [all codes](site:/developers/errors), or [the API reference](site:/developers/reference).`),
    ],
  };
}

function byStatus(): [status: number, codes: ProblemCode[]][] {
  const grouped = new Map<number, ProblemCode[]>();
  for (const named of Object.keys(PROBLEMS).filter(isProblemCode)) {
    const { status } = PROBLEMS[named];
    grouped.set(status, [...(grouped.get(status) ?? []), named]);
  }
  return [...grouped].toSorted(([a], [b]) => a - b);
}

function exampleProblem(siteUrl: string): string {
  const { title, status, hint } = PROBLEMS.limit_out_of_bounds;
  const type = `${siteUrl}/developers/errors/limit_out_of_bounds`;
  const detail = `${title}: limit.`;
  return JSON.stringify({ type, title, status, detail, code: 'limit_out_of_bounds', hint }, null, 2);
}
