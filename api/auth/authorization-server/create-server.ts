import { singleFlight } from '../../../config/single-flight.ts';
import { createConfiguration, type ServerContext } from './configuration.ts';
import { Provider } from './provider.ts';

/** Interval after which the signing keys are read again, in milliseconds. */
const KEYS_RELOAD_MS = 5_000;

/** Returns the authorization server. Its state is in the store, so a new provider replaces it when the signing keys change. */
export function createAuthorizationServer(ctx: ServerContext): () => Promise<Provider> {
  const { accounts, clock } = ctx;
  let cached: { readonly provider: Provider; readonly keys: string } | null = null;
  let readAt = 0;
  const joinRead = singleFlight<Provider>();

  async function readProvider(): Promise<Provider> {
    const startedAt = clock();
    const signing = await accounts.signingKeys.signingSet();
    const keys = signing.keys.map(({ kid }) => kid).join(' ');
    if (cached?.keys !== keys) {
      const cookieKey = await accounts.sharedSecret('authorization-server-cookies');
      cached = { provider: createProvider(ctx, createConfiguration(ctx, signing, cookieKey)), keys };
    }
    readAt = startedAt;
    return cached.provider;
  }

  return () => {
    if (cached !== null && Math.abs(clock() - readAt) < KEYS_RELOAD_MS) return Promise.resolve(cached.provider);
    return joinRead(readProvider);
  };
}

function createProvider({ config, log }: ServerContext, configuration: object): Provider {
  const provider = new Provider(config.authUrl, configuration);
  // `prepareRequest` sets the forwarding headers from the settings.
  provider.proxy = true;
  provider.on('server_error', (_ctx, error: unknown) => log.error({ err: error }, 'sign-in failed'));
  provider.silent = true;
  return provider;
}
