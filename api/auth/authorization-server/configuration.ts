import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { publicGrantId, type SigningSet } from '../../../engine/accounts/index.ts';
import type { ApiContext } from '../../context/api-context.ts';
import type { Frame } from '../page.ts';
import { resourcesOf } from '../resources.ts';
import { SUPPORTED_SCOPES } from '../scopes.ts';
import { createAdapterFactory } from './adapter.ts';
import { adaptRegistration, checkRedirects, OFFICIAL_CLIENTS } from './clients.ts';
import { errorPage, sendConfirmPage, sendInputPage, sendSuccessPage } from './device-pages.ts';
import { errors } from './provider.ts';
import { ROUTES } from './routes.ts';

const MINUTE_S = 60;
const DAY_S = 24 * 60 * MINUTE_S;

/** Lifetimes, in seconds. */
const TTL = {
  AccessToken: 10 * MINUTE_S,
  AuthorizationCode: MINUTE_S,
  DeviceCode: 10 * MINUTE_S,
  IdToken: 10 * MINUTE_S,
  Interaction: 30 * MINUTE_S,
  Session: 60 * MINUTE_S,
  /** Each use issues a new one with the full lifetime. */
  RefreshToken: 90 * DAY_S,
  /** After this a person has to allow the app again. */
  Grant: 365 * DAY_S,
};

/** Claims by scope. */
const CLAIMS = {
  openid: ['sub'],
  profile: ['preferred_username', 'name'],
  email: ['email', 'email_verified'],
};

export type ServerContext = Pick<ApiContext, 'config' | 'accounts' | 'members' | 'clock' | 'log'> & {
  readonly frame: Frame;
};

/** The authorization server's settings, for one set of signing keys. */
export function createConfiguration(ctx: ServerContext, signing: SigningSet, cookieKey: string): Configuration {
  const { accounts, config, frame } = ctx;
  const { authUrl, loginUrl } = config;
  const secure = authUrl.startsWith('https:');
  return {
    adapter: createAdapterFactory(accounts.oidc),
    jwks: { keys: signing.keys.map(toPrivateJwk) },
    clients: OFFICIAL_CLIENTS,
    clientDefaults: {
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'EdDSA',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    extraClientMetadata: {
      properties: ['redirect_uris'],
      validator: (_ctx, _name, value, metadata) => {
        checkRedirects(value);
        adaptRegistration(metadata);
      },
    },
    discovery: { op_tos_uri: config.termsUrl, op_policy_uri: config.privacyUrl },
    clientAuthMethods: ['none'],
    // Tokens are bearer tokens and clients send no cookies, so any web page may be a client.
    clientBasedCORS: () => true,
    responseTypes: ['code'],
    enabledJWA: { idTokenSigningAlgValues: ['EdDSA'] },
    scopes: Object.keys(SUPPORTED_SCOPES),
    claims: CLAIMS,
    cookies: {
      keys: [cookieKey],
      // `__Host-` cookies require the path `/`; cookies with another path can only be `__Secure-`.
      names: {
        session: `${secure ? '__Host-' : ''}upsilon-as`,
        interaction: `${secure ? '__Secure-' : ''}upsilon-interaction`,
        resume: `${secure ? '__Secure-' : ''}upsilon-resume`,
      },
      long: { httpOnly: true, sameSite: 'lax', path: '/', signed: true },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    routes: ROUTES,
    ttl: TTL,
    pkce: { required: () => true },
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    interactions: { url: (_ctx, interaction) => `${authUrl}${ROUTES.interaction}/${interaction.uid}` },
    findAccount: (_ctx, subject) => findAccount(ctx, subject),
    extraTokenClaims: (_ctx, token) =>
      'grantId' in token && typeof token.grantId === 'string' ? { grant: publicGrantId(token.grantId) } : undefined,
    renderError(response, out) {
      response.type = 'html';
      response.body = errorPage(frame, out, loginUrl);
    },
    // Client metadata may contain URLs. None of them is fetched, which prevents server-side request forgery.
    fetch: () => Promise.reject(new errors.InvalidClientMetadata('addresses in client metadata are not fetched')),
    features: createFeatures(config, frame),
  };
}

function createFeatures(addresses: ServerContext['config'], frame: Frame): NonNullable<Configuration['features']> {
  const { baseUrl } = addresses;
  const resources = resourcesOf(addresses);
  return {
    devInteractions: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    // The metadata must list only what works: pushed requests are off, and the API accepts only bearer tokens.
    pushedAuthorizationRequests: { enabled: false },
    dPoP: { enabled: false },
    // Enabled for the metadata; `userinfo-route.ts` serves the endpoint, because access tokens are for the API.
    userinfo: { enabled: true },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
    registration: { enabled: true, initialAccessToken: false, issueRegistrationAccessToken: false },
    deviceFlow: {
      enabled: true,
      charset: 'base-20',
      mask: '****-****',
      userCodeInputSource: (ctx, form, _out, error) => sendInputPage(frame, ctx, form, error),
      userCodeConfirmSource: (ctx, form, client, _deviceInfo, userCode) =>
        sendConfirmPage(frame, ctx, form, client, userCode),
      successSource: (ctx) => sendSuccessPage(frame, ctx),
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_ctx: KoaContextWithOIDC, _client, oneOf) => oneOf?.[0] ?? baseUrl,
      useGrantedResource: () => true,
      getResourceServerInfo: (_ctx, resource) => {
        const scope = resources.get(resource);
        if (scope === undefined) throw new errors.InvalidTarget();
        return {
          scope,
          audience: resource,
          accessTokenTTL: TTL.AccessToken,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'EdDSA' } },
        };
      },
    },
  };
}

async function findAccount({ accounts, members }: ServerContext, subject: string) {
  const account = await accounts.bySubject(subject);
  if (account === null || account.suspended) return undefined;
  return {
    accountId: subject,
    claims: async () => {
      const [record, [email]] = await Promise.all([
        members.byNumber(account.operator),
        members.addressesOf(account.operator),
      ]);
      return {
        sub: subject,
        ...(record === null
          ? {}
          : { preferred_username: record.codename, name: record.displayName ?? record.codename }),
        ...(email === undefined ? {} : { email, email_verified: true }),
      };
    },
  };
}

function toPrivateJwk({ kid, privateKey }: SigningSet['keys'][number]) {
  return { ...privateKey.export({ format: 'jwk' }), kid, alg: 'EdDSA', use: 'sig' };
}
