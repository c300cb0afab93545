import { CliError, type ExitName } from '../cli-error.ts';
import { type JsonObject, objectOf, textOf } from '../json.ts';
import type { HttpResponse } from './http.ts';
import { isWebAddress } from './web-address.ts';

/** What a response means: the exit, a title, and what to do. */
type Fate = readonly [exit: ExitName, title: string, hint: string | null];

/** The error for an unsuccessful response (an RFC 9457 problem, if it is one), with what the user can do. */
export function problemError({ status, body }: HttpResponse, baseUrl: string): CliError {
  const problem = objectOf(body);
  const code = printableText(problem['code']) ?? `http_${status}`;
  const [exit, title, advice] = fateOf(status, baseUrl);
  const what =
    printableText(problem['detail']) ?? printableText(problem['title']) ?? `the service returned status ${status}`;
  // The service's hints are for programs: where the tool has advice, people get that instead.
  const hint = hintOf(code, problem, baseUrl) ?? advice ?? printableText(problem['hint']);
  return new CliError(exit, code, `${title}: ${what} (${code})`, hint);
}

function hintOf(code: string, problem: JsonObject, baseUrl: string): string | null {
  if (code === 'already_subscribed') return portalHint(problem);
  if (code === 'row_not_open') return 'Its operator can open it, at the account page.';
  if (code === 'league_unknown' || code === 'invitation_unknown') return printableText(problem['hint']);
  if (code === 'device_unknown') return 'upsilon devices lists your keys.';
  return code === 'token_scope' ? `For this, sign in without that token: upsilon login --base-url ${baseUrl}` : null;
}

/** Whether a response has the form of the service's errors. */
export function isProblem({ status, body }: HttpResponse): boolean {
  return status >= 400 && textOf(objectOf(body)['code']) !== null;
}

/** The error for a server that does not respond as the service does. */
export function foreignServerError(baseUrl: string): CliError {
  return new CliError('network', 'answer_unexpected', `${baseUrl} is not an Upsilon service`, BASE_URL_HINT);
}

const BASE_URL_HINT = 'Is --base-url right? It ends in /api/v1.';

/** Where a subscriber changes the plan: the response may link to the customer portal. */
function portalHint({ links }: JsonObject): string {
  const { portal } = objectOf(links);
  const next = 'To submit, run: upsilon';
  return isWebAddress(portal) ? `To change or cancel it, visit:\n  ${portal}\n${next}` : next;
}

function fateOf(status: number, baseUrl: string): Fate {
  const byStatus: Readonly<Record<number, Fate>> = {
    401: ['auth', `not signed in at ${baseUrl}`, tokenHint(baseUrl)],
    402: ['plan', `${baseUrl} requires a paid plan`, SUBSCRIBE_HINT],
    403: ['auth', `not signed in at ${baseUrl}`, tokenHint(baseUrl)],
    404: ['network', `not found at ${baseUrl}`, BASE_URL_HINT],
    // A page of the website, at an address without the API's path.
    406: ['network', `not found at ${baseUrl}`, BASE_URL_HINT],
    429: ['network', `${baseUrl} is busy`, 'Try again later.'],
  };
  if (status >= 500) return ['network', `${baseUrl} failed`, 'Try again later.'];
  return byStatus[status] ?? ['refused', `refused by ${baseUrl}`, null];
}

/** The command that signs in at a service. */
export function signInHint(baseUrl: string): string {
  return `Sign in with: upsilon login --base-url ${baseUrl}`;
}

/** How to get an access token. */
export function tokenHint(baseUrl: string): string {
  return (
    `${signInHint(baseUrl)}\nOr set a token in UPSILON_TOKEN: an automation token from your account page, or an access token. ` +
    'Tokens expire, so a new one may be enough.' +
    // Only a service on this machine may be without encryption.
    (baseUrl.startsWith('http:')
      ? '\nOn a service that you run, create one with:\n  npm run -s ops -- operator create CODENAME --token-only'
      : '')
  );
}

const SUBSCRIBE_HINT = 'To subscribe, run: upsilon subscribe. Nothing was submitted, and nothing is lost by waiting.';

/** Removes what controls a terminal or its reading direction from a text of a server or a log; lone surrogates too. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the control characters are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\p{Cs}]+/gu, ' ');
}

/** A server's text without control characters; null when it is empty or not text. */
export function printableText(value: unknown): string | null {
  const text = textOf(value);
  return text === null ? null : printable(text);
}
