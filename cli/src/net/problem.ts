import { CliError } from '../cli-error.ts';
import type { ExitName } from '../exit-codes.ts';
import { isObject } from '../json.ts';
import type { HttpResponse } from './http.ts';
import { isWebAddress } from './web-address.ts';

/** The members of an RFC 9457 problem that the tool shows. */
interface Problem {
  readonly code: string | null;
  readonly detail: string | null;
  readonly hint: string | null;
}

/** Reads a problem document; members that are missing or not text are null. */
function readProblem(body: unknown): Problem {
  const member = (name: string): string | null => {
    const value = isObject(body) ? body[name] : undefined;
    return typeof value === 'string' && value !== '' ? printable(value) : null;
  };
  return { code: member('code'), detail: member('detail') ?? member('title'), hint: member('hint') };
}

/** The error for an unsuccessful response, with what the user can do. */
export function problemError(response: HttpResponse, baseUrl: string): CliError {
  const problem = readProblem(response.body);
  const fate = fateOf(response.status, baseUrl);
  const code = problem.code ?? `http_${response.status}`;
  const what = problem.detail ?? `the service returned status ${response.status}`;
  // The service's hint about plans is for programs; people get the tool's own.
  const hints =
    code === 'already_subscribed'
      ? [portalHint(response.body)]
      : fate.exit === 'plan'
        ? [fate.hint]
        : [problem.hint, fate.hint];
  const hint = hints.filter((each) => each !== null).join('\n');
  return new CliError(fate.exit, code, `${fate.title}: ${what} (${code})`, hint === '' ? null : hint);
}

/** Where a subscriber changes the plan: the response may link to the customer portal. */
function portalHint(body: unknown): string {
  const links = isObject(body) ? body['links'] : undefined;
  const portal = isObject(links) ? links['portal'] : undefined;
  const next = 'You can submit: run upsilon.';
  return isWebAddress(portal) ? `To change or cancel it, visit:\n${portal}\n${next}` : next;
}

interface Fate {
  readonly exit: ExitName;
  readonly title: string;
  readonly hint: string | null;
}

function fateOf(status: number, baseUrl: string): Fate {
  switch (status) {
    case 401:
    case 403:
      return { exit: 'auth', title: 'not signed in', hint: TOKEN_HINT };
    case 402:
      return { exit: 'plan', title: 'a paid plan is needed', hint: SUBSCRIBE_HINT };
    case 404:
      return { exit: 'network', title: 'not found', hint: `Is --base-url right? It is ${baseUrl}.` };
    case 429:
      return { exit: 'network', title: 'the service is busy', hint: 'Nothing was submitted. Try again later.' };
    default:
      return status >= 500
        ? { exit: 'network', title: 'the service failed', hint: 'Nothing was accepted. Try again later.' }
        : { exit: 'refused', title: 'refused', hint: null };
  }
}

/** How to get an access token. */
export const TOKEN_HINT =
  'Sign in with: upsilon login\nOr set an access token in UPSILON_TOKEN; tokens expire, so a new one may be enough. ' +
  'On a service that you run, create one with: npm run -s ops -- operator create CODENAME --json';

const SUBSCRIBE_HINT = 'To subscribe, run: upsilon subscribe. Nothing was submitted, and nothing is lost by waiting.';

/** Removes control characters from a server's text, which must not control the terminal. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the control characters are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}
