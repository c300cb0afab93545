import { CliError } from '../cli-error.ts';
import { isObject } from '../json.ts';
import { printable } from '../net/problem.ts';
import { isSafeAddress } from '../net/web-address.ts';
import type { ServerMetadata } from './discovery.ts';
import type { Tokens } from './sessions.ts';
import { OAuthError, postForm, requestTokens, SCOPE } from './token-requests.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** The polling interval when the server gives none (RFC 8628, 3.2), and the increase after `slow_down`, in seconds. */
const DEFAULT_INTERVAL_S = 5;

export interface DevicePrompt {
  readonly code: string;
  readonly address: string;
  /** The address with the code filled in; null when the server gives none. */
  readonly completeAddress: string | null;
}

interface Clock {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Signs in on a machine without a browser (RFC 8628): the user enters a code elsewhere. */
export async function loginByDevice(
  server: ServerMetadata,
  prompt: (shown: DevicePrompt) => void,
  { now, sleep }: Clock,
): Promise<Tokens> {
  if (server.deviceEndpoint === null) {
    throw new CliError(
      'auth',
      'device_login_unavailable',
      `${server.issuer} does not support sign-in by code`,
      'Run: upsilon login',
    );
  }
  const { resource } = server;
  const { body } = await postForm(server.deviceEndpoint, { scope: SCOPE, resource });
  const { device_code, user_code, verification_uri, verification_uri_complete, interval, expires_in } = isObject(body)
    ? body
    : {};
  if (typeof device_code !== 'string' || typeof user_code !== 'string' || !isSafeAddress(verification_uri)) {
    throw new CliError('network', 'answer_unexpected', `${server.issuer} returned no sign-in code`);
  }
  requireOwnPage(verification_uri, server.issuer);
  const completeAddress = isSafeAddress(verification_uri_complete) ? verification_uri_complete : null;
  if (completeAddress !== null) requireOwnPage(completeAddress, server.issuer);
  prompt({ code: printable(user_code), address: verification_uri, completeAddress });
  let pause = typeof interval === 'number' ? interval : DEFAULT_INTERVAL_S;
  const until = now() + (typeof expires_in === 'number' ? expires_in : 600) * 1000;
  while (now() < until) {
    await sleep(pause * 1000);
    try {
      return await requestTokens(server.tokenEndpoint, { grant_type: GRANT, device_code, resource }, now());
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      if (error.code === 'slow_down') pause += DEFAULT_INTERVAL_S;
      else if (error.code !== 'authorization_pending') throw signInFailed(error);
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
  throw new CliError(
    'auth',
    'sign_in_elsewhere',
    `${issuer} returned a code to enter at another server: ${origin}`,
    'Do not enter the code. Run: upsilon login',
  );
}

function signInFailed(error: OAuthError): CliError {
  return new CliError('auth', `sign_in_${error.code}`, `the sign-in failed: ${error.message}`, 'Run: upsilon login');
}
