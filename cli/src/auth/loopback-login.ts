import { createHash, randomBytes } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { ServerMetadata } from './discovery.ts';
import type { Tokens } from './sessions.ts';
import { CLIENT_ID, OAuthError, requestTokens, SCOPE } from './token-requests.ts';

const MAX_WAIT_MS = 10 * 60 * 1000;

const SECRET_BYTES = 32;

const LOOPBACK = 'http://127.0.0.1';

/** Signs in through the browser (RFC 8252, PKCE), which returns to a loopback port. `open` receives the address to visit. */
export async function loginByBrowser(
  server: ServerMetadata,
  open: (address: string) => Promise<void>,
  now: () => number,
): Promise<Tokens> {
  const verifier = randomBytes(SECRET_BYTES).toString('base64url');
  const state = randomBytes(SECRET_BYTES).toString('base64url');
  // Loaded on demand: the online commands share one bundle, and only a sign-in needs a server.
  const { createServer } = await import('node:http');
  const listener = createServer();
  const port = await listen(listener);
  try {
    const redirect = `http://127.0.0.1:${port}/callback`;
    const code = waitForCode(listener, state, server.issuer);
    // It may reject while the browser is still being opened, before it is awaited.
    code.catch(() => undefined);
    await open(authorizationUrl(server, redirect, state, verifier));
    const fields = { grant_type: 'authorization_code', redirect_uri: redirect, code_verifier: verifier };
    return await requestTokens(server.tokenEndpoint, { ...fields, code: await code, resource: server.resource }, now());
  } finally {
    listener.close();
    listener.closeAllConnections();
  }
}

function authorizationUrl(server: ServerMetadata, redirect: string, state: string, verifier: string): string {
  const url = new URL(server.authorizationEndpoint);
  const parameters = {
    response_type: 'code',
    client_id: CLIENT_ID,
    redirect_uri: redirect,
    scope: SCOPE,
    prompt: 'consent',
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: server.resource,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

async function listen(listener: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(0, '127.0.0.1', resolve);
  });
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('the listener has no port');
  return address.port;
}

function waitForCode(listener: Server, state: string, issuer: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new OAuthError('timeout', 'no sign-in within ten minutes')), MAX_WAIT_MS);
    const settle = (action: () => void): void => {
      clearTimeout(timer);
      action();
    };
    listener.on('request', (request, response) => {
      const { url: path = '/', method } = request;
      // Any program or page of this machine may send anything.
      const url = URL.canParse(path, LOOPBACK) ? new URL(path, LOOPBACK) : null;
      if (method !== 'GET' || url?.pathname !== '/callback') return reply(response, 404, 'There is nothing here.');
      const result = url.searchParams;
      // The redirect of another request, or a forged one: keep waiting for ours.
      if (result.get('state') !== state || (result.get('iss') ?? issuer) !== issuer) {
        return reply(response, 400, 'This response does not belong to the sign-in that you started.');
      }
      const code = result.get('code');
      const error = result.get('error');
      if (code !== null && error === null) {
        reply(response, 200, 'You are signed in. You can close this page and go back to the terminal.');
        return settle(() => resolve(code));
      }
      reply(response, 200, 'You are not signed in. You can close this page.');
      const why = result.get('error_description') ?? 'it was declined';
      settle(() => reject(new OAuthError(error ?? 'answer_unexpected', why)));
    });
  });
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(
    `<!doctype html><meta charset="utf-8"><title>Upsilon</title><body style="font:1.1rem system-ui;margin:4rem">${text}`,
  );
}
