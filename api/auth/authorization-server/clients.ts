import type { ClientMetadata } from 'oidc-provider';

/** The official command-line tool, as a client. */
const CLI_CLIENT_ID = 'upsilon-cli';

const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Clients that need no registration. They are public: whoever has the program has all it knows. */
export const OFFICIAL_CLIENTS: readonly ClientMetadata[] = [
  {
    client_id: CLI_CLIENT_ID,
    client_name: 'Upsilon command-line tool',
    application_type: 'native',
    token_endpoint_auth_method: 'none',
    // RFC 8252, 7.3: any port of the loopback interface.
    redirect_uris: ['http://127.0.0.1/callback', 'http://[::1]/callback'],
    grant_types: ['authorization_code', 'refresh_token', DEVICE_CODE_GRANT],
    response_types: ['code'],
  },
];
