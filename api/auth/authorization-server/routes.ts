/** Paths of the authorization server, below `auth_url`. The first three are the contract's. */
export const ROUTES = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  jwks: '/.well-known/jwks.json',
  userinfo: '/oauth/userinfo',
  revocation: '/oauth/revoke',
  registration: '/oauth/register',
  device_authorization: '/oauth/device_authorization',
  code_verification: '/oauth/device',
  /** Not the contract's: where an authorization request leaves for sign-in and returns. */
  interaction: '/oauth/interaction',
} as const;

export const OPENID_CONFIGURATION_PATH = '/.well-known/openid-configuration';

export const SERVER_METADATA_PATH = '/.well-known/oauth-authorization-server';
