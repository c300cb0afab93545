import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Config } from '../../config/config.ts';

/** A person with accounts at GitHub and X. */
export interface UpstreamPerson {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly emailVerified: boolean;
}

/** What the service registered at both. */
export const UPSTREAM_CLIENT = { id: 'upsilon-client', secret: 'upsilon client/secret' };

interface Grant {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly person: UpstreamPerson;
}

/**
 * A second OAuth 2.0 server, which stands for GitHub and for X: their paths, ways of client authentication, and shapes of
 * answers and errors, as their documentation has them. It checks what they check: registered redirect addresses, PKCE,
 * secrets, and that codes are used once.
 */
export class UpstreamServer {
  person: UpstreamPerson = { id: 1, name: 'nobody', email: 'nobody@example.com', emailVerified: false };
  /** The next person denies the request. */
  refuses = false;
  /** All received requests. */
  readonly requests: URL[] = [];
  readonly #server: Server;
  readonly #redirectUri: string;
  readonly #codes = new Map<string, Grant>();
  readonly #tokens = new Map<string, UpstreamPerson>();

  private constructor(redirectUri: string) {
    this.#redirectUri = redirectUri;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async open(port: number, redirectUri: string): Promise<UpstreamServer> {
    const upstream = new UpstreamServer(redirectUri);
    await new Promise<void>((resolve) => upstream.#server.listen(port, '127.0.0.1', resolve));
    return upstream;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://upstream');
    this.requests.push(url);
    const body = new URLSearchParams(await textOf(request));
    switch (url.pathname) {
      case '/login/oauth/authorize':
      case '/i/oauth2/authorize':
        return this.#askPerson(url, response);
      case '/approve':
        return this.#approve(url, response);
      case '/login/oauth/access_token':
        return this.#githubToken(body, response);
      case '/2/oauth2/token':
        return this.#twitterToken(request, body, response);
      default:
        return this.#api(url, request, response);
    }
  }

  #askPerson(url: URL, response: ServerResponse): void {
    const { searchParams: query } = url;
    const known = query.get('client_id') === UPSTREAM_CLIENT.id && query.get('redirect_uri') === this.#redirectUri;
    const asks = query.get('response_type') === 'code' && query.get('code_challenge_method') === 'S256';
    if (!known || !asks || !query.has('state')) return send(response, 400, { error: 'invalid_request' });
    response.setHeader('content-type', 'text/html');
    response.end(
      `<!doctype html><title>Upstream</title><form method="get" action="/approve">` +
        Array.from(query, ([name, value]) => `<input type="hidden" name="${name}" value="${escape(value)}">`).join('') +
        `<button id="authorize">Authorize as ${this.person.name}</button></form>`,
    );
  }

  #approve({ searchParams: query }: URL, response: ServerResponse): void {
    const back = new URL(this.#redirectUri);
    back.searchParams.set('state', query.get('state') ?? '');
    if (this.refuses) back.searchParams.set('error', 'access_denied');
    else {
      const code = randomBytes(16).toString('hex');
      this.#codes.set(code, {
        challenge: query.get('code_challenge') ?? '',
        redirectUri: query.get('redirect_uri') ?? '',
        person: this.person,
      });
      back.searchParams.set('code', code);
    }
    response.writeHead(302, { location: back.href }).end();
  }

  /** The code's person, when everything about the exchange is right. */
  #redeem(body: URLSearchParams): UpstreamPerson | null {
    const code = body.get('code') ?? '';
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    if (grant === undefined || body.get('redirect_uri') !== grant.redirectUri) return null;
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    return challenge === grant.challenge ? grant.person : null;
  }

  #issue(person: UpstreamPerson, prefix: string): string {
    const token = `${prefix}${randomBytes(16).toString('hex')}`;
    this.#tokens.set(token, person);
    return token;
  }

  /** GitHub takes the secret in the body, and returns errors with status 200. */
  #githubToken(body: URLSearchParams, response: ServerResponse): void {
    if (body.get('client_id') !== UPSTREAM_CLIENT.id || body.get('client_secret') !== UPSTREAM_CLIENT.secret) {
      return send(response, 200, { error: 'incorrect_client_credentials', error_description: 'no' });
    }
    const person = this.#redeem(body);
    if (person === null) return send(response, 200, { error: 'bad_verification_code', error_description: 'no' });
    send(response, 200, {
      access_token: this.#issue(person, 'gho_'),
      token_type: 'bearer',
      scope: 'read:user,user:email',
    });
  }

  /** X takes the secret by HTTP Basic. */
  #twitterToken(request: IncomingMessage, body: URLSearchParams, response: ServerResponse): void {
    const credentials = `${encodeURIComponent(UPSTREAM_CLIENT.id)}:${encodeURIComponent(UPSTREAM_CLIENT.secret)}`;
    const given = Buffer.from((request.headers.authorization ?? '').replace(/^Basic /, ''), 'base64').toString();
    if (given !== credentials) return send(response, 401, { error: 'unauthorized_client' });
    const person = this.#redeem(body);
    if (person === null) return send(response, 400, { error: 'invalid_request', error_description: 'no' });
    const scope = 'users.read tweet.read users.email';
    send(response, 200, { token_type: 'bearer', expires_in: 7200, access_token: this.#issue(person, ''), scope });
  }

  #api(url: URL, request: IncomingMessage, response: ServerResponse): void {
    const person = this.#tokens.get((request.headers.authorization ?? '').replace(/^bearer /i, ''));
    if (person === undefined) return send(response, 401, { message: 'Bad credentials' });
    const { id, name, email, emailVerified } = person;
    if (url.pathname === '/user') {
      return send(response, 200, { id, login: name, name: null, email: null, type: 'User' });
    }
    if (url.pathname === '/user/emails') {
      return send(response, 200, [
        { email: `${id}+${name}@users.noreply.github.com`, primary: false, verified: true, visibility: null },
        { email, primary: true, verified: emailVerified, visibility: 'private' },
      ]);
    }
    if (url.pathname === '/2/users/me') {
      const confirmed = emailVerified && url.searchParams.get('user.fields') === 'confirmed_email';
      return send(response, 200, {
        data: { id: String(id), name, username: name, ...(confirmed ? { confirmed_email: email } : {}) },
      });
    }
    send(response, 404, { message: 'Not Found' });
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** The settings of a service that is a client of the server at this port, as GitHub and as X. */
export function withUpstreams(port: number) {
  const url = `http://127.0.0.1:${port}`;
  const upstream = { clientId: UPSTREAM_CLIENT.id, clientSecret: UPSTREAM_CLIENT.secret, url, apiUrl: url };
  return ({ signIn }: Config) => ({ signIn: { ...signIn, github: upstream, twitter: upstream } });
}
