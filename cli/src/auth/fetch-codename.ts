import { CliError } from '../cli-error.ts';
import { isObject } from '../json.ts';
import { exchange, NoResponseError } from '../net/http.ts';

/**
 * Returns the codename that a token belongs to, from the service itself or from the authorization server's userinfo
 * (`preferred_username`). Throws an `auth` error when neither returns it.
 */
export async function fetchCodename(baseUrl: string, userinfo: string | null, token: string): Promise<string> {
  const endpoints: ReadonlyArray<readonly [string, string]> = [
    [`${baseUrl}/me`, 'codename'],
    ...(userinfo === null ? [] : [[userinfo, 'preferred_username'] as const]),
  ];
  for (const [url, member] of endpoints) {
    const { status, body } = await fetchJson(url, token);
    const name = isObject(body) ? body[member] : undefined;
    if (status < 300 && typeof name === 'string') return name;
    if (status === 401) break;
  }
  throw new CliError(
    'auth',
    'codename_unknown',
    `${baseUrl} does not return your codename`,
    'Sign in again: upsilon login',
  );
}

async function fetchJson(url: string, token: string): Promise<{ readonly status: number; readonly body: unknown }> {
  try {
    return await exchange({ method: 'GET', url, token });
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error;
    throw new CliError('network', 'unreachable', `cannot reach ${url}: ${error.message}`, 'Try again later.');
  }
}
