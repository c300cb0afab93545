import { CliError } from '../cli-error.ts';
import { objectOf } from '../json.ts';
import { exchange, type HttpResponse } from '../net/http.ts';
import { foreignServerError, isProblem, problemError } from '../net/problem.ts';
import { isSafeAddress, normalAddress } from '../net/web-address.ts';

/** Metadata of a service's authorization server (RFC 8414). */
export type ServerMetadata = Awaited<ReturnType<typeof discoverServer>>;

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';
const SERVER_METADATA = '/.well-known/oauth-authorization-server';

/**
 * Finds the authorization server of a service: the challenge to a request without a token gives the address of the
 * service's metadata (RFC 9728), which gives the server, whose metadata gives its endpoints. Throws unless the service's
 * metadata describes the base URL itself.
 */
export async function discoverServer(baseUrl: string) {
  const challenge = await requireService(baseUrl);
  const advertised = /resource_metadata="([^"]+)"/.exec(challenge.headers.get('www-authenticate') ?? '')?.[1];
  const address = advertised ?? new URL(RESOURCE_METADATA, baseUrl).href;
  if (!isSafeAddress(address)) throw signInUnavailable(baseUrl, 'the address of its metadata is not encrypted');
  const { body } = await fetchDocument(address);
  const { resource, authorization_servers: servers } = objectOf(body);
  const issuer: unknown = Array.isArray(servers) ? servers[0] : undefined;
  if (!isSafeAddress(issuer)) throw signInUnavailable(baseUrl, `${address} lists no authorization server`);
  requireResource(resource, baseUrl);
  return readMetadata(issuer, resource);
}

/** The refusal of a request without a token. Throws for a server of another kind, before it is sent a token, key or signature. */
export async function requireService(baseUrl: string): Promise<HttpResponse> {
  const response = await fetchDocument(`${baseUrl}/devices`);
  const isKnown = isProblem(response);
  if (isKnown && response.status !== 404) return response;
  throw isKnown || response.status >= 500 ? problemError(response, baseUrl) : foreignServerError(baseUrl);
}

/** Throws unless the resource is the base URL (RFC 9728, 3.3): a service could else receive the tokens of another one. */
export function requireResource(resource: unknown, baseUrl: string): asserts resource is string {
  const claimed = isSafeAddress(resource) ? normalAddress(new URL(resource)) : '';
  if (claimed === baseUrl) return;
  // The hint is a command to copy: it must not contain characters that a shell interprets.
  const isPlain = /^[\w.:/[\]-]+$/.test(claimed);
  const hint = isPlain
    ? `If you mean that service, run: upsilon login --base-url ${claimed}`
    : 'Is --base-url right? It ends in /api/v1.';
  const message = `${baseUrl} asks for a token of ${isPlain ? `another service: ${claimed}` : 'no known service'}`;
  throw new CliError('auth', 'resource_mismatch', message, `No token was sent. ${hint}`);
}

async function readMetadata(issuer: string, resource: string) {
  const url = new URL(issuer);
  const path = url.pathname.replace(/\/$/, '');
  // RFC 8414, 3.1, puts the well-known part before the issuer's path; many servers below a path append it.
  const addresses = new Set([`${url.origin}${SERVER_METADATA}${path}`, `${url.origin}${path}${SERVER_METADATA}`]);
  for (const address of addresses) {
    const metadata = objectOf((await fetchDocument(address)).body);
    if (metadata['issuer'] !== issuer) continue;
    const endpoint = (name: string): string | null => {
      const value = metadata[name];
      return isSafeAddress(value) ? value : null;
    };
    const authorizationEndpoint = endpoint('authorization_endpoint');
    const tokenEndpoint = endpoint('token_endpoint');
    if (authorizationEndpoint === null || tokenEndpoint === null) break;
    return {
      issuer,
      /** The audience of the requested tokens (RFC 8707): the base URL, as the service writes it. */
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

function fetchDocument(url: string): Promise<HttpResponse> {
  return exchange({ method: 'GET', url, hint: 'Is the service running, and is --base-url right?' });
}

function signInUnavailable(what: string, why: string): CliError {
  const hint = 'Is --base-url right? It ends in /api/v1. To use an access token instead, set UPSILON_TOKEN.';
  return new CliError('network', 'sign_in_unavailable', `no sign-in at ${what}: ${why}`, hint);
}
