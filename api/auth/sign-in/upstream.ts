import * as oauth from 'oauth4webapi';
import type { SignedInPerson } from '../../../engine/accounts/index.ts';

/** Timeout of a request to an upstream, in milliseconds. */
const REQUEST_TIMEOUT_MS = 10_000;

/** Bytes of the largest response of an upstream. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

/** What is checked when the browser returns: the OAuth state, the verifier of PKCE (RFC 7636) and the nonce of an ID token. */
type UpstreamAttempt = Readonly<Record<'state' | 'verifier' | 'nonce', string>>;

/** Its metadata (RFC 8414). */
export type UpstreamServer = oauth.AuthorizationServer &
  Readonly<Record<'authorization_endpoint' | 'token_endpoint', string>>;

/** A sign-in provider of which this service is a client. */
export type Upstream = ReturnType<typeof createUpstream>;

/** The person or the upstream refused the sign-in. */
export class UpstreamRefusedError extends Error {
  override readonly name = 'UpstreamRefusedError';
}

export interface UpstreamDefinition {
  readonly name: 'github' | 'twitter' | 'oidc';
  readonly title: string;
  readonly client: oauth.Client;
  readonly scope: string;
  /** Rejects while its metadata cannot be read. */
  readonly server: () => Promise<UpstreamServer>;
  /** The one origin at which people sign in, for the `form-action` of pages; null when it may lead on to others. */
  readonly origin: string | null;
  readonly authentication: (server: UpstreamServer) => oauth.ClientAuth;
  /** The person who signed in, by the response of the token endpoint. */
  readonly person: (
    server: UpstreamServer,
    response: Response,
    nonce: string,
  ) => Promise<Omit<SignedInPerson, 'provider'>>;
}

/** An OAuth 2.0 client with state, PKCE and a nonce. */
export function createUpstream(definition: UpstreamDefinition, redirectUri: string) {
  const { name, title, client, scope, server, origin, authentication, person } = definition;
  return {
    name,
    title,
    origin,
    async authorizationUrl({ state, verifier, nonce }: UpstreamAttempt): Promise<string> {
      const address = new URL((await server()).authorization_endpoint);
      const parameters = {
        response_type: 'code',
        client_id: client.client_id,
        redirect_uri: redirectUri,
        scope,
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        // Of an ID token, which this scope asks for.
        ...(scope.startsWith('openid') ? { nonce } : {}),
      };
      for (const [parameter, value] of Object.entries(parameters)) address.searchParams.set(parameter, value);
      return address.href;
    },
    /** The person who signed in. `callback` is the URL that the browser returned to. @throws UpstreamRefusedError for a refusal. */
    async finish(callback: URL, { state, verifier, nonce }: UpstreamAttempt): Promise<SignedInPerson> {
      const from = await server();
      try {
        const response = await oauth.authorizationCodeGrantRequest(
          from,
          client,
          authentication(from),
          oauth.validateAuthResponse(from, client, callback, state),
          redirectUri,
          verifier,
          requestsTo(from),
        );
        return { provider: name, ...(await person(from, response, nonce)) };
      } catch (error) {
        if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
          throw new UpstreamRefusedError(error.error, { cause: error });
        }
        throw error;
      }
    },
  };
}

/** Options of a request to an upstream. Plain http is only for upstreams on this machine. */
export function requestsTo({ issuer }: Pick<oauth.AuthorizationServer, 'issuer'>) {
  return {
    [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
    [oauth.customFetch]: boundedFetch,
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  };
}

/** As `fetch`. Reading more than `MAX_RESPONSE_BYTES` of the body fails. */
async function boundedFetch(
  address: string,
  { body = null, ...init }: Omit<RequestInit, 'body'> & { readonly body?: oauth.ProtectedResourceRequestBody },
): Promise<Response> {
  const response = await fetch(address, { ...init, body });
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes <= MAX_RESPONSE_BYTES) controller.enqueue(chunk);
      else controller.error(new Error(`${address} returned more than ${MAX_RESPONSE_BYTES} bytes`));
    },
  });
  return new Response(response.body?.pipeThrough(count) ?? null, response);
}

/** HTTP Basic with percent-encoding: the library's form encoding also escapes `-` and `_`, which not every provider decodes. */
export function basicAuthentication(clientId: string, clientSecret: string): oauth.ClientAuth {
  const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  return (_server, _client, _body, headers) => {
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  };
}
