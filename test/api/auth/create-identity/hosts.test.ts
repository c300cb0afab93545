import { connect, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { freePort } from '../../../../ops/local/free-port.ts';
import { FormBrowser } from '../../../support/form-browser.ts';
import { openIdentityService } from '../../../support/identity-service.ts';
import { openMailServer } from '../../../support/mail-server.ts';
import { beginRequest, openApp } from '../../../support/oauth-app.ts';
import { useFixture } from '../../../support/use-fixture.ts';

/** Each base has an address of the loopback network for itself. */
const HOSTS = { base: '127.0.0.1', site: '127.0.0.2', login: '127.0.0.3', auth: '127.0.0.4' } as const;

const OWN: Readonly<Record<keyof typeof HOSTS, readonly string[]>> = {
  base: ['/api/v1/leaderboard', '/.well-known/oauth-protected-resource/api/v1'],
  site: ['/openapi.json'],
  login: [
    '/login',
    '/api/auth/session',
    '/auth/callback',
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-authorization-server',
  ],
  auth: ['/.well-known/openid-configuration', '/.well-known/jwks.json', '/oauth/authorize', '/oauth/device'],
};

describe('sign-in on four hosts', () => {
  const mailPort = useFixture(freePort);
  const mail = useFixture(() => openMailServer(mailPort()));
  const service = useFixture(() =>
    openIdentityService({
      env: (given) => ({
        BASE_URL: `http://${HOSTS.base}:${given}/api/v1`,
        SITE_URL: `http://${HOSTS.site}:${given}`,
        LOGIN_URL: `http://${HOSTS.login}:${given}`,
        AUTH_URL: `http://${HOSTS.auth}:${given}`,
        SMTP_URL: `smtp://127.0.0.1:${mailPort()}`,
      }),
    }),
  );
  let port: number;
  const doors: Door[] = [];

  before(async () => {
    ({ port } = service().config);
    for (const host of [HOSTS.site, HOSTS.login, HOSTS.auth]) doors.push(await openDoor(host, port));
  });

  after(() => doors.forEach((door) => door.close()));

  for (const [host, paths] of Object.entries(OWN)) {
    it(`${host} serves its paths, and the others do not`, async () => {
      for (const path of paths) {
        for (const [other, address] of Object.entries(HOSTS)) {
          const { status } = await fetch(`http://${address}:${port}${path}`, { redirect: 'manual' });
          // The metadata of RFC 8414 is at the issuer, and at the login host for the contract.
          const shared = path.endsWith('oauth-authorization-server') && other === 'auth';
          if (other === host || shared) expect(status, `${other} ${path}`).to.not.equal(404);
          else expect(status, `${other} ${path}`).to.equal(404);
        }
      }
    });
  }

  it('names a host that is none of the service, and those that are', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, HOSTS.base, () => {
        socket.write('GET /api/v1/leaderboard HTTP/1.1\r\nHost: upstream.internal\r\nConnection: close\r\n\r\n');
      });
      let text = '';
      socket.on('data', (chunk) => (text += chunk.toString('utf8')));
      socket.on('end', () => resolve(text));
      socket.on('error', reject);
    });
    expect(answer).to.match(/^HTTP\/1\.1 404 /);
    expect(answer)
      .to.include(String.raw`The host \"upstream.internal\" is none of this service`)
      .and.include(HOSTS.login);
  });

  it('goes from host to host to a token', async () => {
    const app = await openApp(service().config.authUrl);
    const browser = new FormBrowser();
    browser.stops.push(app.redirectUri);
    const request = await beginRequest(app);
    const login = await browser.get(request.url);
    expect(new URL(login.url).hostname).to.equal(HOSTS.login);
    await browser.submit(login, '/login/email', { email: 'traveller@example.com' });
    const form = await browser.get(await mail().linkTo('traveller@example.com'));
    const consent = await browser.submit(form, '/login/link');
    expect(new URL(consent.url).pathname).to.equal('/login/consent');
    const done = await browser.submit(consent, '/login/consent', { answer: 'allow' });
    const tokens = await request.finish(done.url);
    expect(tokens.claims()).to.include({ email: 'traveller@example.com', email_verified: true });
    const me = await fetch(`${service().config.baseUrl}/me`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    expect(me.status).to.equal(200);
    expect(await me.json()).to.include({ email: 'traveller@example.com' });
    const session = await browser.get(`${service().config.loginUrl}/api/auth/session`);
    expect(JSON.parse(session.text)).to.include({ authenticated: true });
    for (const [next, reached] of [
      [`${service().config.siteUrl}/methodology`, `${service().config.siteUrl}/methodology`],
      [`${service().config.authUrl}/oauth/device`, `${service().config.loginUrl}/account`],
    ] as const) {
      const page = await browser.get(`${service().config.loginUrl}/login?next=${encodeURIComponent(next)}`);
      expect(page.url).to.equal(reached);
    }
  });
});

interface Door {
  close(): void;
}

/** Another address at which the service is reached. */
async function openDoor(host: string, port: number): Promise<Door> {
  const sockets = new Set<Socket>();
  const door = createServer((socket) => {
    const inner = connect(port, '127.0.0.1');
    socket.pipe(inner).pipe(socket);
    for (const [end, other] of [
      [socket, inner],
      [inner, socket],
    ] as const) {
      sockets.add(end);
      end.on('error', () => other.destroy());
      end.on('close', () => {
        sockets.delete(end);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => door.listen(port, host, resolve));
  return {
    close() {
      door.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
