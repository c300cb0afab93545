import * as z from 'zod';
import { defineRoute } from '../context/api-context.ts';
import { fromStorage } from '../http/problem.ts';
import { ROUTES } from './authorization-server/routes.ts';

/** OpenID Connect Core 1.0, section 5.3: claims about the token's subject. */
const UserInfo = z.object({
  sub: z.string(),
  preferred_username: z.string(),
  name: z.string(),
  email: z.string().optional(),
  email_verified: z.literal(true).optional(),
});

/** In place of the provider's endpoint, which accepts no access tokens with an audience, as this service's tokens have. */
function userinfo(method: 'get' | 'post') {
  return defineRoute({
    method,
    surface: 'auth',
    path: ROUTES.userinfo,
    operationId: `${method}UserInfo`,
    summary: 'Who is signed in',
    description: 'OpenID Connect Core 1.0, section 5.3.',
    tag: 'service',
    auth: 'operator',
    successes: [{ status: 200, description: 'The claims.', schema: UserInfo }],
    limit: 'operator',
    documented: false,
    handle: async (_input, { ctx, caller }) => {
      const { members } = ctx;
      const [record, [email]] = await fromStorage(() =>
        Promise.all([members.byNumber(caller.operator), members.addressesOf(caller.operator)]),
      );
      const body = {
        sub: caller.subject,
        preferred_username: caller.codename,
        name: record?.displayName ?? caller.codename,
        ...(email === undefined ? {} : { email, email_verified: true }),
      };
      return { kind: 'json', status: 200, body };
    },
  });
}

export const getUserInfo = userinfo('get');
export const postUserInfo = userinfo('post');
