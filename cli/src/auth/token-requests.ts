import { CliError } from '../cli-error.ts';
import { objectOf, textOf } from '../json.ts';
import { readBounded } from '../net/client.ts';
import { exchange, type HttpResponse } from '../net/http.ts';
import { printable } from '../net/problem.ts';
import type { Tokens } from './sessions.ts';

/** The client id of this tool: a public client, without a secret. */
export const CLIENT_ID = 'upsilon-cli';

/** The codename, and a refresh token. */
export const SCOPE = 'openid profile email offline_access';

/** Access tokens are renewed this long before they expire, in milliseconds. */
const EARLY_MS = 30_000;

/** The lifetime of a token, in seconds. */
const LIFE_S = { min: 0, max: 86_400, usual: 300 };

/** An error response of the authorization server, with its code (RFC 6749, 5.2) and description. */
export class OAuthError extends CliError {
  override readonly name = 'OAuthError';
  readonly error: string;
  readonly why: string;

  constructor(error: string, description: string | null) {
    const why = printable(description ?? error);
    super('auth', `sign_in_${error}`, `the sign-in failed: ${why}`, 'Run: upsilon login');
    this.error = error;
    this.why = why;
  }
}

/** Sends a form to an endpoint of the authorization server. Throws `OAuthError` for an error response. */
export async function postForm(url: string, fields: Readonly<Record<string, string>>): Promise<HttpResponse> {
  const body = new URLSearchParams({ client_id: CLIENT_ID, ...fields }).toString();
  const response = await exchange({ method: 'POST', url, body, form: true, hint: 'Try again later.' });
  if (response.status < 300) return response;
  const { error, error_description } = objectOf(response.body);
  if (typeof error !== 'string') throw new OAuthError(`http_${response.status}`, null);
  throw new OAuthError(error, textOf(error_description));
}

/** Requests tokens. `now` in milliseconds. */
export async function requestTokens(
  endpoint: string,
  fields: Readonly<Record<string, string>>,
  now: number,
): Promise<Tokens> {
  const { body } = await postForm(endpoint, fields);
  const { access_token, expires_in, refresh_token } = objectOf(body);
  if (typeof access_token !== 'string') throw new OAuthError('answer_unexpected', 'the response has no token');
  return {
    access_token,
    expires_at: now + readBounded(expires_in, LIFE_S) * 1000 - EARLY_MS,
    refresh_token: textOf(refresh_token),
  };
}

/** Renews tokens. When the server returns no new refresh token, the old one stays valid. */
export async function refreshTokens(endpoint: string, tokens: Tokens, resource: string, now: number): Promise<Tokens> {
  const { refresh_token } = tokens;
  if (refresh_token === null) throw new OAuthError('invalid_grant', 'there is no refresh token');
  const renewed = await requestTokens(endpoint, { grant_type: 'refresh_token', refresh_token, resource }, now);
  return { ...renewed, refresh_token: renewed.refresh_token ?? refresh_token };
}
