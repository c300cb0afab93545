import { CliError } from '../cli-error.ts';
import { isObject } from '../json.ts';
import { exchange, type HttpResponse, NoResponseError } from '../net/http.ts';
import { isSafeAddress, normalAddress } from '../net/web-address.ts';

/** Metadata of a service's authorization server (RFC 8414). */
export interface ServerMetadata {
  readonly issuer: string;
  /** The audience of the requested tokens (RFC 8707): the base URL, as the service writes it. */
  readonly resource: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly deviceEndpoint: string | null;
  readonly revocationEndpoint: string | null;
  readonly userinfoEndpoint: string | null;
}

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';
const SERVER_METADATA = '/.well-known/oauth-authorization-server';

/**
 * Finds the authorization server of a service: the challenge to a request without a token gives the address of the
 * service's metadata (RFC 9728), which gives the server, whose metadata gives its endpoints. Throws unless the service's
 * metadata describes the base URL itself.
 */
export async function discoverServer(baseUrl: string): Promise<ServerMetadata> {
  const challenge = await fetchDocument(`${baseUrl}/devices`);
  const advertised = /resource_metadata="([^"]+)"/.exec(challenge.headers.get('www-authenticate') ?? '')?.[1];
  const address = advertised ?? new URL(RESOURCE_METADATA, baseUrl).href;
  if (!isSafeAddress(address)) throw signInUnavailable(baseUrl, 'the address of its metadata is not encrypted');
  const { body } = await fetchDocument(address);
  const { resource, authorization_servers: servers } = isObject(body) ? body : {};
  const issuer: unknown = Array.isArray(servers) ? servers[0] : undefined;
  if (!isSafeAddress(issuer)) throw signInUnavailable(baseUrl, `${address} lists no authorization server`);
  requireResource(resource, baseUrl);
  return readMetadata(issuer, resource);
}

/**
 * Throws unless the resource is the base URL (RFC 9728, 3.3): otherwise a service could claim to be another one and receive
 * that one's tokens.
 */
export function requireResource(resource: unknown, baseUrl: string): asserts resource is string {
  const claimed = isSafeAddress(resource) ? normalAddress(new URL(resource)) : '';
  if (claimed === baseUrl) return;
  // The hint is a command to copy: it must not contain characters that a shell interprets.
  const isPlain = /^[\w.:/[\]-]+$/.test(claimed);
  throw new CliError(
    'auth',
    'resource_mismatch',
    `${baseUrl} asks for a token of ${isPlain ? `another service: ${claimed}` : 'no known service'}`,
    isPlain
      ? `No token was sent. If you mean that service, run: upsilon login --base-url ${claimed}`
      : 'No token was sent. Is --base-url right? It ends in /api/v1.',
  );
}

async function readMetadata(issuer: string, resource: string): Promise<ServerMetadata> {
  const url = new URL(issuer);
  const path = url.pathname.replace(/\/$/, '');
  // RFC 8414, 3.1, puts the well-known part before the issuer's path; many servers below a path append it.
  const addresses = [...new Set([`${url.origin}${SERVER_METADATA}${path}`, `${url.origin}${path}${SERVER_METADATA}`])];
  for (const address of addresses) {
    const { body } = await fetchDocument(address);
    if (!isObject(body) || body['issuer'] !== issuer) continue;
    const endpoint = (name: string): string | null => {
      const value = body[name];
      return isSafeAddress(value) ? value : null;
    };
    const authorizationEndpoint = endpoint('authorization_endpoint');
    const tokenEndpoint = endpoint('token_endpoint');
    if (authorizationEndpoint === null || tokenEndpoint === null) break;
    return {
      issuer,
      resource,
      authorizationEndpoint,
      tokenEndpoint,
      deviceEndpoint: endpoint('device_authorization_endpoint'),
      revocationEndpoint: endpoint('revocation_endpoint'),
      userinfoEndpoint: endpoint('userinfo_endpoint'),
    };
  }
  throw signInUnavailable(issuer, 'its metadata is missing or incomplete');
}

async function fetchDocument(url: string): Promise<HttpResponse> {
  try {
    return await exchange({ method: 'GET', url, token: null });
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error;
    const hint = 'Is the service running, and is --base-url right?';
    throw new CliError('network', 'unreachable', `cannot reach ${url}: ${error.message}`, hint);
  }
}

function signInUnavailable(what: string, why: string): CliError {
  const hint = 'Is --base-url right? It ends in /api/v1. To use an access token instead, set UPSILON_TOKEN.';
  return new CliError('network', 'sign_in_unavailable', `no sign-in at ${what}: ${why}`, hint);
}
