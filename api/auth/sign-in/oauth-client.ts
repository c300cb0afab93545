import * as oauth from 'oauth4webapi';
import type { UpstreamConfig } from '../../../config/sign-in.ts';
import { type UpstreamAttempt, UpstreamRefusedError } from './upstream.ts';

/** Timeout of a request to an upstream, in milliseconds. */
const REQUEST_TIMEOUT_MS = 10_000;

export interface OAuthClientOptions {
  readonly config: UpstreamConfig;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly scope: string;
  readonly redirectUri: string;
  readonly authentication: 'basic' | 'post';
}

/** An OAuth 2.0 client with state and PKCE, for upstreams without OpenID Connect. */
export interface OAuthClient {
  authorizationUrl(attempt: UpstreamAttempt): Promise<string>;
  accessToken(callback: URL, attempt: UpstreamAttempt): Promise<string>;
  /** Reads JSON of the upstream with an access token. */
  read(url: string, accessToken: string): Promise<unknown>;
}

export function createOAuthClient(options: OAuthClientOptions): OAuthClient {
  const { config, authorizationEndpoint, tokenEndpoint, scope, redirectUri } = options;
  const server: oauth.AuthorizationServer = {
    issuer: config.url,
    authorization_endpoint: authorizationEndpoint,
    token_endpoint: tokenEndpoint,
  };
  const client: oauth.Client = { client_id: config.clientId };
  const authentication =
    options.authentication === 'basic' ? basicAuthentication(config) : oauth.ClientSecretPost(config.clientSecret);
  // Plain http is allowed for test upstreams on this machine.
  const requests = () => ({
    [oauth.allowInsecureRequests]: tokenEndpoint.startsWith('http:'),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  return {
    async authorizationUrl({ state, verifier }) {
      const url = new URL(authorizationEndpoint);
      const parameters = {
        response_type: 'code',
        client_id: config.clientId,
        redirect_uri: redirectUri,
        scope,
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },

    async accessToken(callback, { state, verifier }) {
      try {
        const parameters = oauth.validateAuthResponse(server, client, callback, state);
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          authentication,
          parameters,
          redirectUri,
          verifier,
          requests(),
        );
        const tokens = await oauth.processAuthorizationCodeResponse(server, client, await plainResponse(response));
        return tokens.access_token;
      } catch (error) {
        if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
          throw new UpstreamRefusedError(error.error, { cause: error });
        }
        throw error;
      }
    },

    async read(url, accessToken) {
      const headers = new Headers({ accept: 'application/json', 'user-agent': 'upsilon' });
      const response = await oauth.protectedResourceRequest(
        accessToken,
        'GET',
        new URL(url),
        headers,
        null,
        requests(),
      );
      if (!response.ok) throw new Error(`${new URL(url).host} returned ${response.status}`);
      return response.json();
    },
  };
}

/** GitHub returns errors with status 200, which the library would parse as a token response without a token. */
async function plainResponse(response: Response): Promise<Response> {
  if (response.status !== 200) return response;
  const body = await response.text();
  const refused = /^\s*\{[^}]*"error"\s*:/.test(body) && !body.includes('"access_token"');
  return new Response(body, { status: refused ? 400 : 200, headers: { 'content-type': 'application/json' } });
}

/**
 * HTTP Basic with percent-encoding. The form encoding of RFC 6749, 2.3.1, as the library applies it, also escapes hyphens and
 * underscores, which not every provider decodes.
 */
function basicAuthentication({ clientId, clientSecret }: UpstreamConfig): oauth.ClientAuth {
  const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  return (_server, _client, _body, headers) => {
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  };
}
