import * as z from 'zod';
import type { UpstreamConfig } from '../../../config/sign-in.ts';
import { createOAuthClient } from './oauth-client.ts';
import type { Upstream } from './upstream.ts';

const USER = z.object({ id: z.int(), login: z.string() });
const EMAILS = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/** Sign-in with GitHub over OAuth 2.0. Accounts are identified by number, which survives renaming. */
export function createGithub(config: UpstreamConfig, redirectUri: string): Upstream {
  const client = createOAuthClient({
    config,
    authorizationEndpoint: `${config.url}/login/oauth/authorize`,
    tokenEndpoint: `${config.url}/login/oauth/access_token`,
    scope: 'read:user user:email',
    redirectUri,
    authentication: 'post',
  });
  return {
    name: 'github',
    title: 'GitHub',
    origin: new URL(config.url).origin,
    authorizationUrl: (attempt) => client.authorizationUrl(attempt),
    async finish(callback, attempt) {
      const token = await client.accessToken(callback, attempt);
      const { id, login } = USER.parse(await client.read(`${config.apiUrl}/user`, token));
      const emails = EMAILS.parse(await client.read(`${config.apiUrl}/user/emails`, token));
      const primary = emails.find((email) => email.primary && email.verified);
      return { provider: 'github', subject: String(id), label: login, verifiedEmail: primary?.email ?? null };
    },
  };
}
