import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { thumbprint } from '../../../cli/src/signing/device-key.ts';

/** A service with an authorization server, as far as a client sees them. */
export interface SignInService extends AsyncDisposable {
  readonly origin: string;
  readonly baseUrl: string;
  /** Requests: method and path, in order. */
  readonly asked: readonly string[];
  /** The valid tokens. */
  readonly good: { readonly access: Set<string>; readonly refresh: Set<string> };
  /** The result of the next authorization request, instead of a code. */
  refuse: string | null;
  /** Polls for a device's tokens that return "pending" first. */
  pending: number;
  /** The error that they return. */
  pendingError: string;
  /** Lifetime of access tokens, in seconds. */
  life: number;
  /** Whether a refresh token works once and another one comes with the new token, as at the real service. */
  rotates: boolean;
  /** Members of the service's own metadata in place of the right ones. */
  claims: Readonly<Record<string, unknown>>;
  /** Members of its authorization server's metadata in place of the right ones. */
  serverClaims: Readonly<Record<string, unknown>>;
  /** The origin at which its challenge names the service's own metadata; null = its own. */
  metadataAddress: string | null;
  /** Members of a code for a device in place of the right ones. */
  deviceClaims: Readonly<Record<string, unknown>>;
  /** Does what a browser does that is sent to an address: goes where it is sent. */
  visit(address: string): Promise<void>;
}

interface Grant {
  readonly challenge: string;
  readonly redirect: string;
}

/** What the service knows at a moment. */
interface State extends Omit<SignInService, 'origin' | 'asked' | 'baseUrl' | 'visit' | keyof AsyncDisposable> {
  origin: string;
  readonly asked: string[];
  readonly codes: Map<string, Grant>;
}

/** Starts the service on a free port. Sign-ins are for the operator `test-lantern`. */
export async function startSignInService(): Promise<SignInService> {
  const good = { access: new Set<string>(), refresh: new Set<string>() };
  const wishes = {
    refuse: null,
    pending: 0,
    pendingError: 'authorization_pending',
    life: 600,
    rotates: true,
    claims: {},
    serverClaims: {},
    metadataAddress: null,
    deviceClaims: {},
  };
  const state: State = { origin: '', ...wishes, asked: [], codes: new Map(), good };
  const server = createServer((request, response) => void send(answerTo(request, state), response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the service has no port');
  state.origin = `http://127.0.0.1:${address.port}`;
  return Object.assign(state, {
    baseUrl: `${state.origin}/api/v1`,
    visit: async (target: string) => void (await fetch(target)),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

async function answerTo(request: IncomingMessage, state: State): Promise<Answer> {
  const { origin, good } = state;
  const url = new URL(request.url ?? '/', origin);
  state.asked.push(`${request.method} ${url.pathname}`);
  const body = await read(request);
  const form = new URLSearchParams(body);
  switch (url.pathname) {
    case '/.well-known/oauth-protected-resource':
      return ok({ resource: `${origin}/api/v1`, authorization_servers: [origin], ...state.claims });
    case '/.well-known/oauth-authorization-server':
      return ok({ ...metadata(origin), ...state.serverClaims });
    case '/oauth/authorize':
      return authorize(url.searchParams, state);
    case '/oauth/token':
      return token(form, state);
    case '/oauth/device_authorization':
      return ok({ ...DEVICE, verification_uri: `${origin}/oauth/device`, ...state.deviceClaims });
    case '/oauth/revoke':
      good.refresh.delete(form.get('token') ?? '');
      return ok({});
    default: {
      const isKnown = good.access.has((request.headers.authorization ?? '').replace('Bearer ', ''));
      return isKnown
        ? ownThings(`${request.method} ${url.pathname}`, body)
        : challenge(state.metadataAddress ?? origin);
    }
  }
}

const DEVICE = { device_code: 'a-device-code', user_code: 'BCDF-GHJK', interval: 0, expires_in: 60 };

function authorize(query: URLSearchParams, { origin, refuse, codes }: State): Answer {
  if (query.get('code_challenge_method') !== 'S256') return oauthError('invalid_request');
  const redirect = query.get('redirect_uri') ?? '';
  const target = new URL(redirect);
  target.searchParams.set('state', query.get('state') ?? '');
  target.searchParams.set('iss', origin);
  if (refuse === null) {
    const code = randomUUID();
    codes.set(code, { challenge: query.get('code_challenge') ?? '', redirect });
    target.searchParams.set('code', code);
  } else {
    target.searchParams.set('error', refuse);
    target.searchParams.set('error_description', `refused: ${refuse}`);
  }
  return { status: 303, headers: { location: target.href } };
}

function token(form: URLSearchParams, state: State): Answer {
  if (form.get('client_id') !== 'upsilon-cli') return oauthError('invalid_client');
  if (form.get('resource') !== `${state.origin}/api/v1`) return oauthError('invalid_target');
  switch (form.get('grant_type') ?? '') {
    case 'authorization_code': {
      const code = form.get('code') ?? '';
      const grant = state.codes.get(code);
      state.codes.delete(code);
      const verifier = form.get('code_verifier') ?? '';
      const isOwn = grant?.challenge === createHash('sha256').update(verifier).digest('base64url');
      return isOwn && grant?.redirect === form.get('redirect_uri') ? issue(state) : oauthError('invalid_grant');
    }
    case 'refresh_token':
      return renew(form.get('refresh_token') ?? '', state);
    case 'urn:ietf:params:oauth:grant-type:device_code':
      if (state.pending > 0) {
        state.pending -= 1;
        return oauthError(state.pendingError);
      }
      return form.get('device_code') === DEVICE.device_code ? issue(state) : oauthError('invalid_grant');
    default:
      return oauthError('unsupported_grant_type');
  }
}

function renew(refresh: string, state: State): Answer {
  if (!state.good.refresh.has(refresh)) return oauthError('invalid_grant');
  if (state.rotates) {
    state.good.refresh.delete(refresh);
    return issue(state);
  }
  const access = randomUUID();
  state.good.access.add(access);
  return ok({ access_token: access, token_type: 'Bearer', expires_in: state.life });
}

function issue({ good, life }: State): Answer {
  const [access, refresh] = [randomUUID(), randomUUID()];
  good.access.add(access);
  good.refresh.add(refresh);
  return ok({ access_token: access, token_type: 'Bearer', expires_in: life, refresh_token: refresh });
}

interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

function ok(body: object): Answer {
  return { status: 200, body };
}

function oauthError(error: string): Answer {
  return { status: 400, body: { error, error_description: `refused: ${error}` } };
}

function challenge(origin: string): Answer {
  const metadataAddress = `${origin}/.well-known/oauth-protected-resource`;
  return {
    status: 401,
    body: { code: 'token_expired', detail: 'The token has expired.' },
    headers: { 'www-authenticate': `Bearer realm="any", resource_metadata="${metadataAddress}"` },
  };
}

function ownThings(operation: string, body: string): Answer {
  const kid = 'k'.repeat(43);
  switch (operation) {
    case 'GET /api/v1/me':
      return ok({ codename: 'test-lantern' });
    case 'GET /api/v1/devices':
      return ok({ devices: [{ kid, name: 'a name', created_at: '2026-05-01T10:00:00Z', revoked_at: null }] });
    case `DELETE /api/v1/devices/${kid}`:
      return { status: 204 };
    case 'POST /api/v1/billing/subscribe':
      return ok({ checkout_url: 'https://pay.example/checkout', plan: 'monthly' });
    case 'POST /api/v1/devices':
      return ok({ kid: thumbprint(JSON.parse(body).jwk) });
    case 'POST /api/v1/snapshots':
      return ok({ accepted: true, codename: 'test-lantern', rank: 3 });
    default:
      return { status: 404, body: { code: 'path_unknown', detail: 'There is nothing.' } };
  }
}

function metadata(origin: string): object {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/oauth/authorize`,
    token_endpoint: `${origin}/oauth/token`,
    device_authorization_endpoint: `${origin}/oauth/device_authorization`,
    revocation_endpoint: `${origin}/oauth/revoke`,
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}

async function send(answer: Promise<Answer>, response: ServerResponse): Promise<void> {
  const { status, body, headers } = await answer;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
