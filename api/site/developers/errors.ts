import * as z from 'zod';
import {
  isProblemCode,
  PROBLEM_STATUSES,
  PROBLEMS,
  type ProblemCode,
  type ProblemDefinition,
} from '../../../engine/contract/index.ts';
import { REFUSAL_CODES, type RefusalCode } from '../../../engine/contract/refusals.ts';
import { problemTypeUrl } from '../../http/problem.ts';
import { representJson } from '../../http/representation.ts';
import { DOCUMENT_CACHE } from '../../http/standard-headers.ts';
import { definePage } from '../page.ts';
import { code, link, m, text } from '../render/inline.ts';
import type { SitePage } from '../render/page-text.ts';
import { codeBlock, facts, heading, lede, prose, table } from '../render/parts.ts';
import type { Guide } from './guide.ts';

const REFUSALS: Readonly<Record<RefusalCode, string>> = {
  header_invalid: 'The protected header does not follow the signed layout.',
  key_unknown: 'No enrolled key has this kid.',
  key_revoked: 'The key was revoked before the snapshot arrived.',
  key_foreign: 'The key belongs to another operator.',
  signature_invalid: 'The signature does not match the request body.',
  issued_in_future: 'iat is too far in the future; the detail gives the server’s time.',
  issued_too_long_ago: 'iat is more than 90 days old.',
  as_of_in_future: 'as_of is too far in the future.',
  as_of_too_long_ago: 'as_of is more than 90 days old.',
  stream_limit: 'The operator already has the maximum number of active streams. GET /streams lists them.',
  operator_gone: 'The operator was deleted before the snapshot was processed.',
  entry_poisoned:
    'The snapshot could not be processed after several attempts. It is kept so that the people who run the service can look into it.',
  entry_voided: 'The people who run the service removed the snapshot later because its operator had not sent it.',
};

const meaningOf = (status: number): string => PROBLEM_STATUSES.get(status)?.[1] ?? '';

const PROBLEM_CODES = Object.keys(PROBLEMS).filter(isProblemCode);
const STATUSES = Array.from(new Set(PROBLEM_CODES.map((named) => PROBLEMS[named].status))).toSorted((a, b) => a - b);

export const errors: Guide = {
  slug: 'errors',
  title: 'Error codes',
  about: 'Every error the API can return, and every reason why a snapshot can be refused.',
  parts: ({ siteUrl }) => [
    lede(
      m`Errors are RFC 9457 problem details (\`application/problem+json\`). The **code** never changes its meaning; the **type** is the address of a page that explains it.`,
    ),
    codeBlock('json', exampleProblem('limit_out_of_bounds', siteUrl), 'An error'),
    ...STATUSES.flatMap((status) => [
      heading(2, `${status}`, `status-${status}`),
      prose(m`${meaningOf(status)}`),
      table({
        caption: `Codes with status ${status}`,
        className: 'stacked',
        columns: [{ label: 'Code', is: ['row'] }, { label: 'Title' }, { label: 'How to fix it' }],
        rows: PROBLEM_CODES.filter((named) => PROBLEMS[named].status === status).map((named) => {
          const { title, hint }: ProblemDefinition = PROBLEMS[named];
          return [link(code(named), `site:/developers/errors/${named}`), title, hint];
        }),
      }),
    ]),
    heading(2, 'Why a snapshot is refused', 'reasons-for-refusing-a-snapshot'),
    prose(
      m`A snapshot that was stored and then refused is not an HTTP error: the response is 200 with \`accepted: false\`, a **reason** and a detail.`,
    ),
    table({
      caption: 'Reasons for refusing a snapshot',
      className: 'stacked',
      columns: [{ label: 'Reason', is: ['row'] }, { label: 'Meaning' }],
      rows: REFUSAL_CODES.map((reason) => [code(reason), REFUSALS[reason]]),
    }),
  ],
};

/** The page at the address of a problem's `type`. */
export const errorPage = definePage({
  surface: 'site',
  path: '/developers/errors/{code}',
  operationId: 'getErrorPage',
  summary: 'What an error code means',
  params: { schema: z.object({ code: z.enum(PROBLEM_CODES) }), unmatched: 'path_unknown' },
  problems: ['path_unknown'],
  cache: DOCUMENT_CACHE,
  content: ({ params: { code: named } }, { config: { siteUrl } }) => ({
    make: () => pageOf(named, siteUrl),
    kept: `error ${named}`,
  }),
  data({ code: named }, { config: { siteUrl } }) {
    return representJson({ type: problemTypeUrl(siteUrl, named), code: named, ...PROBLEMS[named] }, false);
  },
});

function pageOf(named: ProblemCode, siteUrl: string): SitePage {
  const { title, hint, status }: ProblemDefinition = PROBLEMS[named];
  return {
    surface: 'site',
    canonical: `site:/developers/errors/${named}`,
    area: 'Developers',
    title,
    above: m`[Developers](site:/developers) / [Error codes](site:/developers/errors)`,
    description: `What the error code ${named} means, and how to fix it.`,
    parts: [
      prose(text(hint)),
      facts([
        ['Code', code(named)],
        ['HTTP status', text(status)],
        ['Status meaning', text(meaningOf(status))],
        ['Type', code(`${siteUrl}/developers/errors/${named}`)],
      ]),
      codeBlock('json', exampleProblem(named, siteUrl), 'The response'),
      prose(m`See [all error codes](site:/developers/errors) or [the API reference](site:/developers/reference).`),
    ],
  };
}

/** A problem as it comes, with an example of a detail. */
function exampleProblem(named: ProblemCode, siteUrl: string): string {
  const { title, status, hint }: ProblemDefinition = PROBLEMS[named];
  const detail = named === 'limit_out_of_bounds' ? `${title}: limit.` : `${title}.`;
  return JSON.stringify({ type: problemTypeUrl(siteUrl, named), title, status, detail, code: named, hint }, null, 2);
}
