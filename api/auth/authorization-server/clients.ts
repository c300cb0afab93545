import type { ClientMetadata } from 'oidc-provider';
import { LOOPBACK_HOSTS } from '../../../config/sign-in.ts';
import { OPERATOR_COMMANDS_CLIENT } from '../../../engine/accounts/index.ts';
import { labelFault } from '../../../engine/contract/index.ts';
import { SUPPORTED_SCOPES } from '../scopes.ts';
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

/** What a person should know before allowing an app: whose it is and where. `host` is that of its redirect; null for a device. */
export function describeApp(clientId: string, host: string | null): string {
  if (!isOfficialClient(clientId)) {
    const where = host === null ? 'an app that you entered a code for' : `at ${host}`;
    return `It is not part of Upsilon, and its name was not checked. It is ${where}. Continue only if you know and trust it.`;
  }
  if (host === null) return 'It is running on the device whose code you entered.';
  return `It is running at ${host}. Continue only if you started this from your own terminal.`;
}

/** Only https or a loopback host: any app on a device can register a custom scheme. @throws InvalidClientMetadata */
export function checkRedirects(addresses: unknown): void {
  const all: readonly unknown[] = Array.isArray(addresses) ? addresses : [];
  if (all.every((address) => typeof address === 'string' && isSafeRedirect(address))) return;
  throw new errors.InvalidClientMetadata('redirect_uris must use https, or http to a loopback host');
}

/**
 * Adapts a client's metadata before they are checked. One with a loopback address over http runs on a device, and may then
 * listen at any port (RFC 8252, 7.3). Scopes that do not exist are dropped (RFC 7591, 2). @throws InvalidClientMetadata for a
 * name that a person could misread, or take for that of an official app.
 */
export function adaptRegistration(metadata: ClientMetadata): void {
  const given: unknown = metadata.redirect_uris;
  // The provider refuses what is no list.
  const redirects = Array.isArray(given) ? given.map((address) => new URL(String(address))) : [];
  const schemes = redirects.filter(({ hostname }) => LOOPBACK_HOSTS.has(hostname)).map(({ protocol }) => protocol);
  // The provider refuses https to a loopback host of an app on a device.
  if (schemes.length > 0 && !schemes.includes('https:')) metadata.application_type = 'native';
  const { client_id, client_name } = metadata;
  if (typeof client_name === 'string' && !isOfficialClient(client_id)) metadata.client_name = readName(client_name);
  if (typeof metadata.scope !== 'string') return;
  const scopes = metadata.scope.split(' ').filter((scope) => Object.hasOwn(SUPPORTED_SCOPES, scope));
  if (scopes.length > 0) metadata.scope = scopes.join(' ');
  else delete metadata.scope;
}

/** A client's name, without what follows it in parentheses if that is invalid: MCP clients add how their user calls the server. */
function readName(name: string): string {
  const read = labelFault(name, 'client_name') === null ? name : name.replace(/\s*\([^()]*\)$/, '');
  const fault = labelFault(read, 'client_name');
  if (fault !== null) throw new errors.InvalidClientMetadata(fault);
  return read;
}

function isSafeRedirect(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOSTS.has(hostname));
}
