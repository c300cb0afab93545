import type { ClientMetadata } from 'oidc-provider';
import { LOOPBACK_HOSTS } from '../../../config/sign-in.ts';
import { OPERATOR_COMMANDS_CLIENT } from '../../../engine/accounts/index.ts';
import { errors } from './provider.ts';

const CLI_CLIENT_ID = 'upsilon-cli';

const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Preregistered clients. They are public (RFC 6749, 2.1): the program contains no secret. */
export const OFFICIAL_CLIENTS: readonly ClientMetadata[] = [
  {
    client_id: CLI_CLIENT_ID,
    client_name: 'Upsilon command-line tool',
    application_type: 'native',
    token_endpoint_auth_method: 'none',
    // RFC 8252, 7.3: any port of the loopback interface.
    redirect_uris: ['http://127.0.0.1/callback', 'http://[::1]/callback'],
    grant_types: ['authorization_code', 'refresh_token', DEVICE_CODE_GRANT],
    response_types: ['code'],
  },
];

const OFFICIAL_CLIENT_IDS: ReadonlySet<string> = new Set([CLI_CLIENT_ID, OPERATOR_COMMANDS_CLIENT]);

/** Whether tokens of this client may use routes with `Route.officialClientsOnly`. */
export function isOfficialClient(clientId: string | null): boolean {
  return clientId !== null && OFFICIAL_CLIENT_IDS.has(clientId);
}

/**
 * Authorization codes are sent to a client's redirect URIs, so these must use https or a loopback host. Custom URL schemes are
 * refused, because any app on the device can register them.
 *
 * @throws InvalidClientMetadata for any other URI.
 */
export function checkRedirects(addresses: unknown): void {
  const all: readonly unknown[] = Array.isArray(addresses) ? addresses : [];
  if (all.every((address) => typeof address === 'string' && isSafeRedirect(address))) return;
  throw new errors.InvalidClientMetadata('redirect_uris must use https, or http to a loopback host');
}

function isSafeRedirect(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOSTS.has(hostname));
}
