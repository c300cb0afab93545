import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { discoverServer } from '../../../../cli/src/auth/discovery.ts';
import { findIdentity } from '../../../../cli/src/auth/identity.ts';
import { loginByBrowser } from '../../../../cli/src/auth/loopback-login.ts';
import { openSessions, type Session } from '../../../../cli/src/auth/sessions.ts';
import type { TokenSource } from '../../../../cli/src/net/client.ts';
import { readSettings } from '../../../../cli/src/settings.ts';
import { failureOf } from '../../support/parsing.ts';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { LINUX } from '../../support/scan-source.ts';
import { type SignInService, startSignInService } from '../../support/sign-in-service.ts';
import { useFolder } from '../../support/temporary-folder.ts';

describe('a service that claims to be another one', () => {
  const home = useFolder();
  let real: SignInService;
  let imposter: SignInService;

  beforeEach(async () => {
    [real, imposter] = await Promise.all([startSignInService(), startSignInService()]);
    imposter.claims = { resource: real.baseUrl, authorization_servers: [real.origin] };
  });
  afterEach(() => Promise.all([real[Symbol.asyncDispose](), imposter[Symbol.asyncDispose]()]));

  const login = (...args: readonly string[]): Promise<CliRun> =>
    runCli(home(), ['login', '--device', ...args], { UPSILON_BASE_URL: imposter.baseUrl });

  it('receives no token, and no request goes to the service that it claims to be', async () => {
    const run = await login();
    expect(run.exit, run.stderr).to.equal(3);
    expect(run.stderr)
      .to.include(`${imposter.baseUrl} asks for a token of another service: ${real.baseUrl}`)
      .and.include(`upsilon login --base-url ${real.baseUrl}`);
    expect(real.asked).to.deep.equal([]);
    expect(imposter.asked).to.deep.equal(['GET /api/v1/devices', 'GET /.well-known/oauth-protected-resource']);
  });

  for (const [what, resource] of Object.entries({
    'no resource': undefined,
    'a resource that is no text': 7,
    'a resource that is no address': 'upsilon',
    'a resource that a shell would run': 'https://upsilon.example/$(id)',
    'a resource with control characters': 'https://upsilon.example/\u001b[31m',
  })) {
    it(`is refused with ${what}`, async () => {
      imposter.claims = { resource };
      const failure = await failureOf(discoverServer(imposter.baseUrl));
      expect(failure).to.include({ exit: 'auth', code: 'resource_mismatch' });
      expect(failure.message).to.match(/ asks for a token of no known service$/);
    });
  }

  for (const [what, change] of Object.entries<(url: string) => string>({
    'another host': (url) => url.replace('127.0.0.1', 'localhost'),
    'another port': (url) => url.replace(/:\d+/, ':1'),
    'another scheme': (url) => url.replace('http:', 'https:'),
    'a path above': (url) => url.replace('/api/v1', '/api'),
    'a path below': (url) => `${url}/more`,
    'a path in other letters': (url) => url.replace('/api', '/API'),
    'a query': (url) => `${url}?tenant=other`,
    credentials: (url) => url.replace('//', '//user@'),
  })) {
    it(`is another one with ${what}`, async () => {
      imposter.claims = { resource: change(imposter.baseUrl) };
      const failure = await failureOf(discoverServer(imposter.baseUrl));
      expect(failure).to.include({ code: 'resource_mismatch' });
    });
  }

  it('is the same one with a slash at the end', async () => {
    imposter.claims = { resource: `${imposter.baseUrl}/` };
    expect((await discoverServer(imposter.baseUrl)).resource).to.equal(`${imposter.baseUrl}/`);
  });

  it('gets nothing from a sign-in that was stored for it before, neither the token nor a new one', async () => {
    for (const life of [600, 1]) {
      real.life = life;
      await storeSignIn(imposter.baseUrl);
      const before = real.asked.length;
      const { tokens, codename } = await identityAt(imposter.baseUrl);
      expect(codename).to.equal('test-lantern');
      for (const attempt of [tokens!.get(), tokens!.renew()]) {
        expect(await failureOf(attempt)).to.include({ exit: 'auth', code: 'resource_mismatch' });
      }
      expect(real.asked.slice(before)).to.deep.equal([]);
    }
  });

  it('gets nothing of a sign-in that is stored for another address', async () => {
    await storeSignIn(real.baseUrl);
    expect((await identityAt(real.baseUrl)).tokens).not.to.equal(null);
    const others = [imposter.baseUrl, `${real.baseUrl}/more`, `${real.origin}/api`, real.baseUrl.replace('v1', 'v2')];
    for (const other of others) expect((await identityAt(other)).tokens, other).to.equal(null);
  });

  it('may not name metadata at an address that is not encrypted', async () => {
    imposter.metadataAddress = imposter.origin.replace('127.0.0.1', '0.0.0.0');
    imposter.claims = {};
    const failure = await failureOf(discoverServer(imposter.baseUrl));
    expect(failure).to.include({ code: 'sign_in_unavailable' });
    expect(imposter.asked).to.deep.equal(['GET /api/v1/devices']);
  });

  it('is refused with metadata of another server, or addresses that are not encrypted', async () => {
    imposter.claims = {};
    const plain = 'http://upsilon.example/oauth';
    for (const serverClaims of [
      { issuer: real.origin },
      { authorization_endpoint: plain },
      { token_endpoint: plain },
      { token_endpoint: 7 },
    ]) {
      imposter.serverClaims = serverClaims;
      const failure = await failureOf(discoverServer(imposter.baseUrl));
      expect(failure, JSON.stringify(serverClaims)).to.include({ code: 'sign_in_unavailable' });
    }
    imposter.serverClaims = { device_authorization_endpoint: plain, revocation_endpoint: plain };
    expect(await discoverServer(imposter.baseUrl)).to.include({ deviceEndpoint: null, revocationEndpoint: null });
    imposter.claims = { authorization_servers: [plain] };
    const failure = await failureOf(discoverServer(imposter.baseUrl));
    expect(failure.message).to.include('lists no authorization server');
  });

  it('shows no address that is not encrypted, and no control characters in the code', async () => {
    imposter.claims = {};
    imposter.deviceClaims = { verification_uri: 'http://upsilon.example/device' };
    expect((await login()).stderr).to.include('returned no sign-in code');
    imposter.deviceClaims = {
      user_code: 'AB\u001b[31mCD',
      verification_uri_complete: 'https://upsilon.example/\u0007',
    };
    const { stderr, exit } = await login();
    expect(exit).to.equal(0);
    expect(stderr).to.include('AB [31mCD').and.not.include('\u001b').and.not.include('\u0007');
  });

  it('is refused when it relays the code of another server', async () => {
    imposter.claims = {};
    for (const member of ['verification_uri', 'verification_uri_complete']) {
      imposter.deviceClaims = { [member]: `${real.origin}/oauth/device?user_code=BCDF-GHJK` };
      const run = await login();
      expect(run.exit, run.stderr).to.equal(3);
      expect(run.stderr)
        .to.include(`${imposter.origin} returned a code to enter at another server: ${real.origin}`)
        .and.not.include('BCDF');
    }
    expect(imposter.asked).to.not.include('POST /oauth/token');
  });

  for (const [flow, then, args] of [
    ['a code', 'On any device, visit:', ['--device']],
    ['the browser', 'Opening your browser.', []],
  ] as const) {
    it(`is shown together with its authorization server before a sign-in by ${flow}`, async () => {
      imposter.claims = { authorization_servers: [real.origin] };
      await writeFile(join(home(), 'xdg-open'), '#!/usr/bin/env node\nfetch(process.argv[2]);', { mode: 0o700 });
      const path = `${home()}${delimiter}${process.env['PATH']}`;
      const run = await runCli(home(), ['login', ...args], {
        UPSILON_BASE_URL: imposter.baseUrl,
        DISPLAY: ':0',
        PATH: path,
      });
      const [service, authority] = [imposter, real].map(({ origin }) => new URL(origin).host);
      const shown = `Service:              ${service}\nAuthorization server: ${authority}\n`;
      expect(run.stderr).to.include(shown).and.include(then);
      expect(run.stderr.indexOf(shown)).to.be.lessThan(run.stderr.indexOf(then));
      // The authorization server knows no such resource: the last line of defence.
      expect(run.stderr).to.include('invalid_target');
      expect(imposter.asked.filter((asked) => !asked.startsWith('GET'))).to.deep.equal([]);
    });
  }

  async function storeSignIn(baseUrl: string): Promise<void> {
    const server = await discoverServer(real.baseUrl);
    const tokens = await loginByBrowser(server, (address) => real.visit(address), Date.now);
    const session: Omit<Session, 'keychain'> = {
      base_url: baseUrl,
      codename: 'test-lantern',
      issuer: server.issuer,
      resource: server.resource,
      token_endpoint: server.tokenEndpoint,
      revocation_endpoint: server.revocationEndpoint,
    };
    await openSessions(home(), false).save(session, tokens);
  }

  function identityAt(
    baseUrl: string,
  ): Promise<{ readonly codename: string | null; readonly tokens: TokenSource | null }> {
    return findIdentity(readSettings({ configDir: home(), baseUrl }, LINUX), LINUX);
  }
});
