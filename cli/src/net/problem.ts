import { CliError, type ExitName } from '../cli-error.ts';
import { type JsonObject, objectOf, textOf } from '../json.ts';
import type { HttpResponse } from './http.ts';
import { isWebAddress } from './web-address.ts';

/** What a status means: the exit, a title, and what to do. */
type Fate = readonly [exit: ExitName, title: string, hint: string | null];

/** The error for an unsuccessful response (an RFC 9457 problem, if it is one), with what the user can do. */
export function problemError({ status, body }: HttpResponse, baseUrl: string): CliError {
  const problem = objectOf(body);
  const [exit, title, advice] = fateOf(status, baseUrl);
  const code = printableText(problem['code']) ?? `http_${status}`;
  const what =
    printableText(problem['detail']) ?? printableText(problem['title']) ?? `the service returned status ${status}`;
  const hints = [printableText(problem['hint']), advice].filter((each) => each !== null);
  let hint = hints.length === 0 ? null : hints.join('\n');
  // The service's hint about plans is for programs; people get the tool's own.
  if (exit === 'plan') hint = advice;
  if (code === 'already_subscribed') hint = portalHint(problem);
  return new CliError(exit, code, `${title}: ${what} (${code})`, hint);
}

/** Where a subscriber changes the plan: the response may link to the customer portal. */
function portalHint({ links }: JsonObject): string {
  const { portal } = objectOf(links);
  const next = 'You can submit: run upsilon.';
  return isWebAddress(portal) ? `To change or cancel it, visit:\n${portal}\n${next}` : next;
}

function fateOf(status: number, baseUrl: string): Fate {
  const byStatus: Readonly<Record<number, Fate>> = {
    401: ['auth', 'not signed in', TOKEN_HINT],
    402: ['plan', 'a paid plan is needed', SUBSCRIBE_HINT],
    403: ['auth', 'not signed in', TOKEN_HINT],
    404: ['network', 'not found', `Is --base-url right? It is ${baseUrl}.`],
    429: ['network', 'the service is busy', 'Nothing was submitted. Try again later.'],
  };
  if (status >= 500) return ['network', 'the service failed', 'Nothing was accepted. Try again later.'];
  return byStatus[status] ?? ['refused', 'refused', null];
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

/** A server's text without control characters; null when it is empty or not text. */
export function printableText(value: unknown): string | null {
  const text = textOf(value);
  return text === null ? null : printable(text);
}
