import * as oauth from 'oauth4webapi';
import * as z from 'zod';
import type { SignInConfig, UpstreamConfig } from '../../../config/sign-in.ts';
import type { SignedInPerson, SignInProvider } from '../../../engine/accounts/index.ts';
import type { Clock } from '../../../engine/ranking/index.ts';
import { createOidc } from './oidc-upstream.ts';
import { basicAuthentication, createUpstream, requestsTo, type Upstream } from './upstream.ts';

/** Titles of the ways to sign in, on pages and in mails. */
export function titlesOf({ oidc }: SignInConfig): Readonly<Record<SignInProvider, string>> {
  return {
    github: 'GitHub',
    twitter: 'X',
    oidc: oidc?.name ?? 'OpenID Connect',
    email_magic_link: 'E-mail',
    development: 'Development',
  };
}

export function createUpstreams(config: SignInConfig, redirectUri: string, clock: Clock): readonly Upstream[] {
  const { github, twitter, oidc } = config;
  const titles = titlesOf(config);
  return [
    ...(oidc === null ? [] : [createOidc(oidc, redirectUri, clock)]),
    ...(github === null ? [] : [createGithub(github, redirectUri, titles.github)]),
    ...(twitter === null ? [] : [createTwitter(twitter, redirectUri, titles.twitter)]),
  ];
}

const USER = z.object({ id: z.int(), login: z.string() });
const EMAILS = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/** Sign-in with GitHub over OAuth 2.0. Accounts are identified by number, which survives renaming. */
function createGithub(config: UpstreamConfig, redirectUri: string, title: string): Upstream {
  return createFixed(config, redirectUri, {
    name: 'github',
    title,
    authorizationPath: '/login/oauth/authorize',
    tokenEndpoint: `${config.url}/login/oauth/access_token`,
    scope: 'read:user user:email',
    authentication: () => oauth.ClientSecretPost(config.clientSecret),
    async readPerson(read) {
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
function createTwitter(config: UpstreamConfig, redirectUri: string, title: string): Upstream {
  return createFixed(config, redirectUri, {
    name: 'twitter',
    title,
    authorizationPath: '/i/oauth2/authorize',
    tokenEndpoint: `${config.apiUrl}/2/oauth2/token`,
    scope: 'users.read tweet.read users.email',
    authentication: () => basicAuthentication(config.clientId, config.clientSecret),
    async readPerson(read) {
      const { data } = ME.parse(await read('/2/users/me?user.fields=confirmed_email'));
      return { subject: data.id, label: `@${data.username}`, verifiedEmail: data.confirmed_email ?? null };
    },
  });
}

interface FixedDefinition {
  readonly name: 'github' | 'twitter';
  readonly title: string;
  /** Below the upstream's URL. */
  readonly authorizationPath: string;
  readonly tokenEndpoint: string;
  readonly scope: string;
  readonly authentication: () => oauth.ClientAuth;
  /** The person who signed in; `read` returns JSON of a path of the upstream's API. */
  readonly readPerson: (read: (path: string) => Promise<unknown>) => Promise<Omit<SignedInPerson, 'provider'>>;
}

/** An upstream without OpenID Connect, whose endpoints do not change and whose API returns the person. */
function createFixed(
  { url, apiUrl, clientId }: UpstreamConfig,
  redirectUri: string,
  { authorizationPath, tokenEndpoint, readPerson, ...definition }: FixedDefinition,
): Upstream {
  const client: oauth.Client = { client_id: clientId };
  const fixed = { issuer: url, authorization_endpoint: `${url}${authorizationPath}`, token_endpoint: tokenEndpoint };

  async function read(path: string, token: string): Promise<unknown> {
    const headers = new Headers({ accept: 'application/json', 'user-agent': 'upsilon' });
    const address = new URL(`${apiUrl}${path}`);
    const response = await oauth.protectedResourceRequest(token, 'GET', address, headers, null, requestsTo(fixed));
    if (!response.ok) throw new Error(`${address.host} returned ${response.status}`);
    return response.json();
  }

  return createUpstream(
    {
      ...definition,
      client,
      server: async () => fixed,
      origin: new URL(url).origin,
      async person(server, response) {
        const plain = await plainResponse(response);
        const { access_token: token } = await oauth.processAuthorizationCodeResponse(server, client, plain);
        return readPerson((path) => read(path, token));
      },
    },
    redirectUri,
  );
}

/** GitHub returns errors with status 200, which the library would parse as a token response without a token. */
async function plainResponse(response: Response): Promise<Response> {
  if (response.status !== 200) return response;
  const body = await response.text();
  const refused = /^\s*\{[^}]*"error"\s*:/.test(body) && !body.includes('"access_token"');
  return new Response(body, { status: refused ? 400 : 200, headers: { 'content-type': 'application/json' } });
}
