import { Provider } from 'oidc-provider/lib/provider.js';
import type { Accounts } from '../../../engine/accounts/index.ts';
import type { Clock } from '../../../engine/ranking/index.ts';
import { createConfiguration, type ServerOptions } from './configuration.ts';

/** Time after which the signing keys are looked at again, in milliseconds. */
const KEYS_LOOK_MS = 5_000;

export interface AuthorizationServerOptions extends ServerOptions {
  readonly accounts: Pick<Accounts, 'bySubject' | 'identities' | 'oidc' | 'signingKeys' | 'sharedSecret'>;
  readonly clock: Clock;
  /** Told of errors that are the service's fault. */
  readonly onError: (error: unknown) => void;
}

/** The authorization server. What it keeps is in the store, so it is made anew when the signing keys change. */
export interface AuthorizationServer {
  current(): Promise<Provider>;
}

export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const { accounts, clock } = options;
  let made: { readonly provider: Provider; readonly keys: string } | null = null;
  let lookedAt = 0;
  let looking: Promise<Provider> | null = null;

  async function look(): Promise<Provider> {
    const startedAt = clock();
    const signing = await accounts.signingKeys.signingSet();
    const keys = signing.keys.map(({ kid }) => kid).join(' ');
    if (made?.keys !== keys) {
      const cookieKey = await accounts.sharedSecret('authorization-server-cookies');
      made = { provider: makeProvider(options, createConfiguration(options, signing, [cookieKey])), keys };
    }
    lookedAt = startedAt;
    return made.provider;
  }

  return {
    current() {
      if (made !== null && Math.abs(clock() - lookedAt) < KEYS_LOOK_MS) return Promise.resolve(made.provider);
      looking ??= look().finally(() => {
        looking = null;
      });
      return looking;
    },
  };
}

function makeProvider({ authUrl, onError }: AuthorizationServerOptions, configuration: object): Provider {
  const provider = new Provider(authUrl, configuration);
  // The surface in front writes the forwarding headers itself, from the settings.
  provider.proxy = true;
  provider.on('server_error', (_ctx, error: unknown) => onError(error));
  provider.silent = true;
  return provider;
}
