import { Provider } from 'oidc-provider/lib/provider.js';
import { singleFlight } from '../../../config/single-flight.ts';
import type { Accounts } from '../../../engine/accounts/index.ts';
import type { Clock } from '../../../engine/ranking/index.ts';
import { createConfiguration, type ServerOptions } from './configuration.ts';

/** Interval after which the signing keys are read again, in milliseconds. */
const KEYS_RELOAD_MS = 5_000;

export interface AuthorizationServerOptions extends ServerOptions {
  readonly accounts: Pick<Accounts, 'bySubject' | 'identities' | 'oidc' | 'signingKeys' | 'sharedSecret'>;
  readonly clock: Clock;
  /** Called for internal errors. */
  readonly onError: (error: unknown) => void;
}

/** The authorization server. Its state is in the store, so a new provider replaces it when the signing keys change. */
export interface AuthorizationServer {
  current(): Promise<Provider>;
}

export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const { accounts, clock } = options;
  let cached: { readonly provider: Provider; readonly keys: string } | null = null;
  let readAt = 0;
  const joinRead = singleFlight<Provider>();

  async function readProvider(): Promise<Provider> {
    const startedAt = clock();
    const signing = await accounts.signingKeys.signingSet();
    const keys = signing.keys.map(({ kid }) => kid).join(' ');
    if (cached?.keys !== keys) {
      const cookieKey = await accounts.sharedSecret('authorization-server-cookies');
      cached = { provider: createProvider(options, createConfiguration(options, signing, [cookieKey])), keys };
    }
    readAt = startedAt;
    return cached.provider;
  }

  return {
    current() {
      if (cached !== null && Math.abs(clock() - readAt) < KEYS_RELOAD_MS) return Promise.resolve(cached.provider);
      return joinRead(readProvider);
    },
  };
}

function createProvider({ authUrl, onError }: AuthorizationServerOptions, configuration: object): Provider {
  const provider = new Provider(authUrl, configuration);
  // `prepareRequest` sets the forwarding headers from the settings.
  provider.proxy = true;
  provider.on('server_error', (_ctx, error: unknown) => onError(error));
  provider.silent = true;
  return provider;
}
