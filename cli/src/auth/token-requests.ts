import { CliError } from '../cli-error.ts';
import { isObject } from '../json.ts';
import { exchange, type HttpAnswer, NoResponseError } from '../net/http.ts';
import { printable } from '../net/problem.ts';
import type { Tokens } from './sessions.ts';

/** This tool, as the authorization server knows it: a public client, which has no secret. */
export const CLIENT_ID = 'upsilon-cli';

/** What is asked for: who the operator is, and to stay signed in. */
export const SCOPE = 'openid profile email offline_access';

/** Access tokens are renewed this long before they end, in milliseconds. */
const EARLY_MS = 30_000;

/** The life of a token whose answer names none, in seconds. */
const DEFAULT_LIFE_S = 300;

/** A refusal of the authorization server, by its code (RFC 6749, 5.2). */
export class OAuthError extends Error {
  readonly code: string;

  constructor(code: string, description: string | null) {
    super(printable(description ?? code));
    this.code = code;
  }
}

/** Sends a form to an endpoint of the authorization server. Throws `OAuthError` for a refusal. */
export async function postForm(url: string, fields: Readonly<Record<string, string>>): Promise<HttpAnswer> {
  const body = new URLSearchParams({ client_id: CLIENT_ID, ...fields }).toString();
  try {
    const answer = await exchange({ method: 'POST', url, token: null, body, form: true });
    if (answer.status < 300) return answer;
    const refusal = isObject(answer.body) ? answer.body : {};
    const { error, error_description } = refusal;
    if (typeof error !== 'string') throw new OAuthError(`http_${answer.status}`, null);
    throw new OAuthError(error, typeof error_description === 'string' ? error_description : null);
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error;
    throw new CliError('network', 'unreachable', `cannot reach ${url}: ${error.message}`, 'Try again later.');
  }
}

/** Asks for tokens. `now` in milliseconds. */
export async function requestTokens(
  endpoint: string,
  fields: Readonly<Record<string, string>>,
  now: number,
): Promise<Tokens> {
  const { body } = await postForm(endpoint, fields);
  const { access_token, expires_in, refresh_token } = isObject(body) ? body : {};
  if (typeof access_token !== 'string') throw new OAuthError('answer_unexpected', 'the answer holds no token');
  const life = typeof expires_in === 'number' ? expires_in : DEFAULT_LIFE_S;
  return {
    access_token,
    expires_at: now + life * 1000 - EARLY_MS,
    refresh_token: typeof refresh_token === 'string' ? refresh_token : null,
  };
}

/** Tokens in place of those that end. A server that gives no new refresh token means the old one to go on. */
export async function refreshTokens(endpoint: string, tokens: Tokens, resource: string, now: number): Promise<Tokens> {
  const { refresh_token } = tokens;
  if (refresh_token === null) throw new OAuthError('invalid_grant', 'there is no refresh token');
  const renewed = await requestTokens(endpoint, { grant_type: 'refresh_token', refresh_token, resource }, now);
  return { ...renewed, refresh_token: renewed.refresh_token ?? refresh_token };
}
