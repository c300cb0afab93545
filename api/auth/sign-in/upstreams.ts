import * as oauth from 'oauth4webapi';
import * as z from 'zod';
import type { SignInConfig, UpstreamConfig } from '../../../config/sign-in.ts';
import type { SignedInPerson } from '../../../engine/accounts/index.ts';

/** Timeout of a request to an upstream, in milliseconds. */
const REQUEST_TIMEOUT_MS = 10_000;

/** Titles of the ways to sign in, on pages and in mails. */
export const PROVIDER_TITLES = {
  github: 'GitHub',
  twitter: 'X',
  email_magic_link: 'E-mail',
  development: 'Development',
} as const;

/** What is checked when the browser returns: the OAuth state, and the verifier of PKCE (RFC 7636). */
type UpstreamAttempt = Readonly<Record<'state' | 'verifier', string>>;

/** A sign-in provider of which this service is a client. */
export type Upstream = ReturnType<typeof createUpstream>;

/** The person or the upstream refused the sign-in. */
export class UpstreamRefusedError extends Error {
  override readonly name = 'UpstreamRefusedError';
}

/** The upstreams that are configured. */
export function createUpstreams({ github, twitter }: SignInConfig, redirectUri: string): readonly Upstream[] {
  return [
    ...(github === null ? [] : [createGithub(github, redirectUri)]),
    ...(twitter === null ? [] : [createTwitter(twitter, redirectUri)]),
  ];
}

const USER = z.object({ id: z.int(), login: z.string() });
const EMAILS = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/** Sign-in with GitHub over OAuth 2.0. Accounts are identified by number, which survives renaming. */
function createGithub(config: UpstreamConfig, redirectUri: string): Upstream {
  return createUpstream(config, redirectUri, {
    name: 'github',
    authorizationPath: '/login/oauth/authorize',
    tokenEndpoint: `${config.url}/login/oauth/access_token`,
    scope: 'read:user user:email',
    authentication: oauth.ClientSecretPost(config.clientSecret),
    async person(read) {
      const { id, login } = USER.parse(await read('/user'));
      const emails = EMAILS.parse(await read('/user/emails'));
      const primary = emails.find((email) => email.primary && email.verified);
      return { subject: String(id), label: login, verifiedEmail: primary?.email ?? null };
    },
  });
}

const ME = z.object({
  data: z.object({ id: z.string(), username: z.string(), confirmed_email: z.string().optional() }),
});

/** Sign-in with X over OAuth 2.0 with PKCE. X returns only a confirmed address. */
function createTwitter(config: UpstreamConfig, redirectUri: string): Upstream {
  return createUpstream(config, redirectUri, {
    name: 'twitter',
    authorizationPath: '/i/oauth2/authorize',
    tokenEndpoint: `${config.apiUrl}/2/oauth2/token`,
    scope: 'users.read tweet.read users.email',
    authentication: basicAuthentication(config),
    async person(read) {
      const { data } = ME.parse(await read('/2/users/me?user.fields=confirmed_email'));
      return { subject: data.id, label: `@${data.username}`, verifiedEmail: data.confirmed_email ?? null };
    },
  });
}

interface UpstreamDefinition {
  readonly name: 'github' | 'twitter';
  /** Below the upstream's URL. */
  readonly authorizationPath: string;
  readonly tokenEndpoint: string;
  readonly scope: string;
  readonly authentication: oauth.ClientAuth;
  /** The person who signed in; `read` returns JSON of a path of the upstream's API. */
  readonly person: (read: (path: string) => Promise<unknown>) => Promise<Omit<SignedInPerson, 'provider'>>;
}

/** An OAuth 2.0 client with state and PKCE, for upstreams without OpenID Connect. */
function createUpstream(
  { url, apiUrl, clientId }: UpstreamConfig,
  redirectUri: string,
  { name, authorizationPath, tokenEndpoint, scope, authentication, person }: UpstreamDefinition,
) {
  const server: oauth.AuthorizationServer = { issuer: url, token_endpoint: tokenEndpoint };
  const client: oauth.Client = { client_id: clientId };
  // Plain http is allowed for test upstreams on this machine.
  const insecure = { [oauth.allowInsecureRequests]: tokenEndpoint.startsWith('http:') };
  const requests = () => ({ ...insecure, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });

  async function accessToken(callback: URL, { state, verifier }: UpstreamAttempt): Promise<string> {
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
  }

  async function read(path: string, token: string): Promise<unknown> {
    const headers = new Headers({ accept: 'application/json', 'user-agent': 'upsilon' });
    const address = new URL(`${apiUrl}${path}`);
    const response = await oauth.protectedResourceRequest(token, 'GET', address, headers, null, requests());
    if (!response.ok) throw new Error(`${address.host} returned ${response.status}`);
    return response.json();
  }

  return {
    name,
    title: PROVIDER_TITLES[name],
    /** For the `form-action` of pages. */
    origin: new URL(url).origin,
    async authorizationUrl({ state, verifier }: UpstreamAttempt): Promise<string> {
      const parameters = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope,
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return `${url}${authorizationPath}?${parameters.toString()}`;
    },
    /**
     * Returns the person who signed in. `callback` is the URL that the browser returned to.
     *
     * @throws UpstreamRefusedError when the sign-in was refused; any other error is a failure of the upstream.
     */
    async finish(callback: URL, attempt: UpstreamAttempt): Promise<SignedInPerson> {
      const token = await accessToken(callback, attempt);
      return { provider: name, ...(await person((path) => read(path, token))) };
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
