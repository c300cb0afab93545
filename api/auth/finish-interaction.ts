import type { Context } from 'koa';
import type { InteractionResults, Provider } from 'oidc-provider';
import * as z from 'zod';
import { MS_PER_SECOND } from '../../config/units.ts';
import { isForApi, RESOURCE_PARAM } from './resources.ts';
import { REQUIRED_SCOPES, SUPPORTED_SCOPES } from './scopes.ts';
import type { SignInContext } from './sign-in/context.ts';
import { PATHS } from './sign-in/paths.ts';

const PARAMS = z.object({
  client_id: z.string(),
  scope: z.string().default(''),
  resource: RESOURCE_PARAM,
});

const TICKET = z.object({
  uid: z.string(),
  subject: z.string(),
  operator: z.number(),
  identity: z.string(),
  authenticatedAt: z.number(),
  allowed: z.boolean(),
});

/**
 * Continues an authorization request, and returns where the browser goes: to the login host, or on when the interaction is
 * complete. The browser's cookie proves that it started the request; the ticket has the decision of the login host. The first
 * visit with a ticket consumes it, in any browser, so a stolen one is useless. @throws SessionNotFound in a browser that did not
 * start the request, or when it has expired.
 */
export async function stepInteraction(
  { req, res }: Context,
  ticket: string | null,
  context: SignInContext,
): Promise<string> {
  const provider = await context.currentProvider();
  const decided = TICKET.safeParse(ticket === null ? null : await context.accounts.oneTime.consume('ticket', ticket));
  const interaction = await provider.interactionDetails(req, res);
  if (!decided.success || decided.data.uid !== interaction.uid) {
    return `${context.loginUrl}${PATHS.consent}?interaction=${interaction.uid}`;
  }
  const result = decided.data.allowed
    ? await allow(provider, interaction.params, decided.data, context)
    : { error: 'access_denied', error_description: 'access was refused' };
  return provider.interactionResult(req, res, result, { mergeWithLastSubmission: false });
}

async function allow(
  provider: Provider,
  params: Readonly<Record<string, unknown>>,
  { subject, operator, identity, authenticatedAt }: z.infer<typeof TICKET>,
  { accounts, baseUrl }: SignInContext,
): Promise<InteractionResults> {
  const { client_id, scope, resource: asked } = PARAMS.parse(params);
  const grant = new provider.Grant({ accountId: subject, clientId: client_id });
  // The requested scopes that a grant may contain: OpenID scopes, and scopes of the API.
  const requested = scope.split(' ');
  const openid = requested.filter((each) => Object.hasOwn(SUPPORTED_SCOPES, each)).join(' ');
  const resource = requested.filter((each) => REQUIRED_SCOPES.some((required) => required === each)).join(' ');
  if (openid !== '') grant.addOIDCScope(openid);
  if (resource !== '' && isForApi(asked, baseUrl)) grant.addResourceScope(baseUrl, resource);
  const grantId = await grant.save();
  if (!(await accounts.oidc.recordOpener(grantId, { operator, key: identity }))) {
    return { error: 'access_denied', error_description: 'the way to sign in was removed from the account' };
  }
  const ts = Math.floor(authenticatedAt / MS_PER_SECOND);
  return { login: { accountId: subject, ts, remember: false }, consent: { grantId } };
}
