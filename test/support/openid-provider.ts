import { createServer, type Server } from 'node:http';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import type { Context } from 'koa';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { Provider } from '../../api/auth/authorization-server/provider.ts';
import { listenOnFreePort } from './listen.ts';

/** A person with an account at the provider. */
export interface Colleague {
  readonly sub: string;
  readonly preferred_username: string;
  readonly email: string;
  readonly email_verified: boolean;
}

type Key = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

const CLIENT = { id: 'upsilon-at-work', secret: 'a secret/with-signs' };

/** Lifetime of everything that it issues, in seconds. */
const TTL_S = 600;

const SCOPE = 'openid profile email';

/** A provider of OpenID Connect that asks nothing: the current person is signed in there, and consents or denies. */
export class OpenIdProvider implements AsyncDisposable {
  person: Colleague = {
    sub: 'nobody',
    preferred_username: 'nobody',
    email: 'nobody@work.example',
    email_verified: true,
  };
  refuses = false;
  /** While true, connections are closed without a response. */
  isDown = false;
  /** Changes the claims of ID tokens; null: the response has no ID token. */
  alterClaims: (claims: JWTPayload) => object | null = (claims) => claims;
  /** Signs ID tokens in place of the provider's key, under its name. */
  signer: Key | null = null;
  /** Changes the metadata. */
  alterMetadata: (metadata: object) => object = (metadata) => metadata;
  /** Authorization requests. */
  readonly requests: URLSearchParams[] = [];
  readonly issuer: string;
  readonly #server: Server;
  readonly #key: Key;
  readonly #jwk: JWK;
  #handle: ReturnType<Provider['callback']> | null = null;

  private constructor(server: Server, port: number, key: Key, jwk: JWK) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${port}`;
    [this.#key, this.#jwk] = [key, { ...jwk, kid: 'work', alg: 'RS256', use: 'sig' }];
    server.on('request', (request, response) => {
      if (this.isDown || this.#handle === null) request.socket.destroy();
      else void this.#handle(request, response);
    });
  }

  static async open(): Promise<OpenIdProvider> {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const server = createServer();
    const port = await listenOnFreePort(server);
    return new OpenIdProvider(server, port, privateKey, await exportJWK(privateKey));
  }

  /** Registers a service with this redirect address, in place of a former one; returns the service's settings. */
  register(redirectUri: string, method: 'client_secret_basic' | 'client_secret_post' = 'client_secret_basic') {
    const provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: method,
        },
      ],
      clientAuthMethods: [method],
      adapter: recordsInMemory,
      ttl: { Interaction: TTL_S, Session: TTL_S, Grant: TTL_S, AccessToken: TTL_S, IdToken: TTL_S },
      jwks: { keys: [this.#jwk] },
      cookies: { keys: ['a key of cookies'] },
      claims: { openid: ['sub'], profile: ['preferred_username'], email: ['email', 'email_verified'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ ...this.person, sub: accountId }) }),
    });
    provider.silent = true;
    provider.use((ctx, next) => this.#answer(provider, ctx, next));
    this.#handle = provider.callback();
    return {
      OIDC_ISSUER: this.issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_NAME: 'Example Works',
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(provider: Provider, ctx: Context, next: () => Promise<void>): Promise<void> {
    if (ctx.path.startsWith('/interaction/')) return this.#decide(provider, ctx);
    if (ctx.path === '/auth') this.requests.push(new URLSearchParams(ctx.querystring));
    await next();
    if (ctx.path === '/.well-known/openid-configuration') ctx.body = this.alterMetadata(bodyOf(ctx));
    if (ctx.path === '/token' && ctx.status === 200) {
      const { id_token: token, ...others } = bodyOf(ctx);
      const given: JWTPayload = JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString());
      const claims = this.alterClaims(given);
      ctx.body = { ...others, ...(claims === null ? {} : { id_token: await this.#sign(claims) }) };
    }
  }

  #sign(claims: object): Promise<string> {
    return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'RS256', kid: 'work' }).sign(this.signer ?? this.#key);
  }

  async #decide(provider: Provider, ctx: Context): Promise<void> {
    const { prompt, params } = await provider.interactionDetails(ctx.req, ctx.res);
    const accountId = this.person.sub;
    const grant = new provider.Grant({ accountId, clientId: String(params['client_id']) });
    grant.addOIDCScope(SCOPE);
    const consent = prompt.name === 'consent' ? { consent: { grantId: await grant.save() } } : {};
    const result = this.refuses ? { error: 'access_denied' } : { login: { accountId }, ...consent };
    ctx.redirect(
      await provider.interactionResult(ctx.req, ctx.res, result, { mergeWithLastSubmission: !this.refuses }),
    );
  }
}

function bodyOf({ body }: Context): Record<string, unknown> {
  return typeof body === 'object' && body !== null ? { ...body } : {};
}

/** The records of one model. */
function recordsInMemory(): Adapter {
  const records = new Map<string, AdapterPayload>();
  return {
    upsert: async (id, payload) => void records.set(id, payload),
    find: async (id) => records.get(id),
    findByUid: async (uid) => [...records.values()].find((record) => record.uid === uid),
    findByUserCode: async () => undefined,
    consume: async (id) => void records.set(id, { ...records.get(id), consumed: true }),
    destroy: async (id) => void records.delete(id),
    revokeByGrantId: async () => undefined,
  };
}
