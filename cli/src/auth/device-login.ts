import { CliError } from '../cli-error.ts';
import { objectOf } from '../json.ts';
import { type ClientContext, readBounded } from '../net/client.ts';
import { printable } from '../net/problem.ts';
import { isSafeAddress } from '../net/web-address.ts';
import type { ServerMetadata } from './discovery.ts';
import type { Tokens } from './sessions.ts';
import { OAuthError, postForm, requestTokens, SCOPE } from './token-requests.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** The polling interval, also when the server gives none (RFC 8628, 3.2), in seconds. */
const INTERVAL_S = { min: 1, max: 60, usual: 5 };

/** The increase of the interval after `slow_down`, in seconds. */
const SLOWER_S = 5;

/** The lifetime of a code, in seconds. */
const LIFE_S = { min: 0, max: 1_800, usual: 600 };

export interface DevicePrompt {
  readonly code: string;
  readonly address: string;
  /** The address with the code filled in; null when the server gives none. */
  readonly completeAddress: string | null;
}

/** Signs in on a machine without a browser (RFC 8628): the user enters a code elsewhere. */
export async function loginByDevice(
  server: ServerMetadata,
  prompt: (shown: DevicePrompt) => void,
  { now, sleep }: Pick<ClientContext, 'now' | 'sleep'>,
): Promise<Tokens> {
  const { issuer, resource, deviceEndpoint, tokenEndpoint } = server;
  if (deviceEndpoint === null) {
    const message = `${issuer} does not support sign-in by code`;
    throw new CliError('auth', 'device_login_unavailable', message, 'Run: upsilon login');
  }
  const { body } = await postForm(deviceEndpoint, { scope: SCOPE, resource });
  const { device_code, user_code, verification_uri: address, verification_uri_complete, ...rest } = objectOf(body);
  if (typeof device_code !== 'string' || typeof user_code !== 'string' || !isSafeAddress(address)) {
    throw new CliError('network', 'answer_unexpected', `${issuer} returned no sign-in code`);
  }
  const completeAddress = isSafeAddress(verification_uri_complete) ? verification_uri_complete : null;
  for (const page of [address, completeAddress]) if (page !== null) requireOwnPage(page, issuer);
  prompt({ code: printable(user_code), address, completeAddress });
  const { interval, expires_in } = rest;
  let pause = readBounded(interval, INTERVAL_S);
  const until = now() + readBounded(expires_in, LIFE_S) * 1000;
  while (now() < until) {
    await sleep(pause * 1000);
    try {
      return await requestTokens(tokenEndpoint, { grant_type: GRANT, device_code, resource }, now());
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      if (error.error === 'slow_down') pause = readBounded(pause + SLOWER_S, INTERVAL_S);
      else if (error.error !== 'authorization_pending') throw error;
    }
  }
  throw new CliError('auth', 'sign_in_timeout', 'the code has expired', 'Run: upsilon login --device');
}

/**
 * Throws unless the page has the origin of the authorization server whose host was shown. Otherwise a server could relay
 * another server's code, and would receive that server's tokens once the user confirms the code there.
 */
function requireOwnPage(address: string, issuer: string): void {
  const { origin } = new URL(address);
  if (origin === new URL(issuer).origin) return;
  const message = `${issuer} returned a code to enter at another server: ${origin}`;
  throw new CliError('auth', 'sign_in_elsewhere', message, 'Do not enter the code. Run: upsilon login');
}
