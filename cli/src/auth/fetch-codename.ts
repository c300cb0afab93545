import { CliError } from '../cli-error.ts';
import { isObject } from '../json.ts';
import { exchange, NoResponseError } from '../net/http.ts';

/**
 * Asks who a token is for: the service itself, or the authorization server's userinfo, whose `preferred_username` is the
 * codename. Throws an `auth` error when neither says.
 */
export async function fetchCodename(baseUrl: string, userinfo: string | null, token: string): Promise<string> {
  const asked: ReadonlyArray<readonly [string, string]> = [
    [`${baseUrl}/me`, 'codename'],
    ...(userinfo === null ? [] : [[userinfo, 'preferred_username'] as const]),
  ];
  for (const [url, member] of asked) {
    const { status, body } = await ask(url, token);
    const name = isObject(body) ? body[member] : undefined;
    if (status < 300 && typeof name === 'string') return name;
    if (status === 401) break;
  }
  throw new CliError('auth', 'codename_unknown', `${baseUrl} does not say who you are`, 'Sign in again: upsilon login');
}

async function ask(url: string, token: string): Promise<{ readonly status: number; readonly body: unknown }> {
  try {
    return await exchange({ method: 'GET', url, token });
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error;
    throw new CliError('network', 'unreachable', `cannot reach ${url}: ${error.message}`, 'Try again later.');
  }
}
