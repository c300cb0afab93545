import { CliError } from '../cli-error.ts';
import { isObject } from '../json.ts';
import { printable } from '../net/problem.ts';
import { isSafeAddress } from '../net/web-address.ts';
import type { ServerMetadata } from './discovery.ts';
import type { Tokens } from './sessions.ts';
import { OAuthError, postForm, requestTokens, SCOPE } from './token-requests.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** The pause between questions when the server names none (RFC 8628, 3.2), and what "slow down" adds, in seconds. */
const DEFAULT_INTERVAL_S = 5;

/** What the user needs to sign in on another device. */
export interface DevicePrompt {
  readonly code: string;
  readonly address: string;
  /** The address with the code filled in; null when there is none. */
  readonly completeAddress: string | null;
}

interface CommandContext {
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Signs in on a machine without a browser (RFC 8628): the user enters a code elsewhere. */
export async function loginByDevice(
  server: ServerMetadata,
  prompt: (shown: DevicePrompt) => void,
  { now, sleep }: CommandContext,
): Promise<Tokens> {
  if (server.deviceEndpoint === null) {
    throw new CliError(
      'auth',
      'device_login_unavailable',
      `${server.issuer} has no sign-in by code`,
      'Run: upsilon login',
    );
  }
  const { resource } = server;
  const { body } = await postForm(server.deviceEndpoint, { scope: SCOPE, resource });
  const { device_code, user_code, verification_uri, verification_uri_complete, interval, expires_in } = isObject(body)
    ? body
    : {};
  if (typeof device_code !== 'string' || typeof user_code !== 'string' || !isSafeAddress(verification_uri)) {
    throw new CliError('network', 'answer_unexpected', `${server.issuer} gave no code to sign in with`);
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
      else if (error.code !== 'authorization_pending') throw refused(error);
    }
  }
  throw new CliError('auth', 'sign_in_timeout', 'the code has expired', 'Run: upsilon login --device');
}

/**
 * Throws unless a page is at the authorization server whose host was shown. A server that passes on the code of another one
 * would be given the other one's tokens, once the user confirms the code there.
 */
function requireOwnPage(address: string, issuer: string): void {
  const { origin } = new URL(address);
  if (origin === new URL(issuer).origin) return;
  throw new CliError(
    'auth',
    'sign_in_elsewhere',
    `${issuer} gave a code to enter at another server: ${origin}`,
    'Do not enter the code. Run: upsilon login',
  );
}

function refused(error: OAuthError): CliError {
  return new CliError('auth', `sign_in_${error.code}`, `the sign-in failed: ${error.message}`, 'Run: upsilon login');
}
