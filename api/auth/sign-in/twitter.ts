import * as z from 'zod';
import type { UpstreamConfig } from '../../../config/sign-in.ts';
import { createOAuthClient } from './oauth-client.ts';
import type { Upstream } from './upstream.ts';

const ME = z.object({
  data: z.object({ id: z.string(), username: z.string(), confirmed_email: z.string().optional() }),
});

/** Sign-in with X over OAuth 2.0 with PKCE. X returns only a confirmed address. */
export function createTwitter(config: UpstreamConfig, redirectUri: string): Upstream {
  const client = createOAuthClient({
    config,
    authorizationEndpoint: `${config.url}/i/oauth2/authorize`,
    tokenEndpoint: `${config.apiUrl}/2/oauth2/token`,
    scope: 'users.read tweet.read users.email',
    redirectUri,
    authentication: 'basic',
  });
  return {
    name: 'twitter',
    title: 'X',
    origin: new URL(config.url).origin,
    authorizationUrl: (attempt) => client.authorizationUrl(attempt),
    async finish(callback, attempt) {
      const token = await client.accessToken(callback, attempt);
      const { data } = ME.parse(await client.read(`${config.apiUrl}/2/users/me?user.fields=confirmed_email`, token));
      const verifiedEmail = data.confirmed_email ?? null;
      return { provider: 'twitter', subject: data.id, label: `@${data.username}`, verifiedEmail };
    },
  };
}
