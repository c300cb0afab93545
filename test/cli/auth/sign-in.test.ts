import { setImmediate as giveWay } from 'node:timers/promises';
import { expect } from 'chai';
import { loginByDevice } from '../../../cli/src/auth/device-login.ts';
import { discoverServer } from '../../../cli/src/auth/discovery.ts';
import { findIdentity } from '../../../cli/src/auth/identity.ts';
import { loginByBrowser } from '../../../cli/src/auth/loopback-login.ts';
import { openSessions, type Tokens } from '../../../cli/src/auth/sessions.ts';
import { postForm } from '../../../cli/src/auth/token-requests.ts';
import { readSettings, type Settings } from '../../../cli/src/settings.ts';
import { useFreshFixture } from '../../support/use-fixture.ts';
import { failureOf } from '../support/parsing.ts';
import { startService } from '../support/recording-service.ts';
import { LINUX } from '../support/scan-source.ts';
import { type SignInService, startSignInService } from '../support/sign-in-service.ts';
import { useFolder } from '../support/temporary-folder.ts';

describe('signing in', () => {
  const folder = useFolder();
  const service = useFreshFixture(startSignInService);
  const here = (): Place => ({ folder: folder(), service: service() });

  it('finds the authorization server from the service alone', async () => {
    const server = await discoverServer(service().baseUrl);
    expect(server).to.include({ issuer: service().origin, resource: service().baseUrl, userinfoEndpoint: null });
    expect(service().asked).to.deep.equal([
      'GET /api/v1/devices',
      'GET /.well-known/oauth-protected-resource',
      'GET /.well-known/oauth-authorization-server',
    ]);
  });

  it('reports that nothing listens', async () => {
    await service()[Symbol.asyncDispose]();
    expect(await failureOf(discoverServer(service().baseUrl))).to.include({ exit: 'network', code: 'unreachable' });
  });

  it('recognizes a server that is not Upsilon at once', async () => {
    for (const status of [200, 401, 404]) {
      await using other = await startService(() => ({ status, body: '<!doctype html>' }));
      const failure = await failureOf(discoverServer(other.baseUrl));
      expect(failure).to.include({ code: 'answer_unexpected', message: `${other.baseUrl} is not an Upsilon service` });
      expect(other.requests).to.have.length(1);
    }
  });

  it('goes through the browser and comes back with tokens', async () => {
    const server = await discoverServer(service().baseUrl);
    const now = 1_000_000;
    const tokens = await loginByBrowser(
      server,
      (address) => service().visit(address),
      () => now,
    );
    expect(service().good.access.has(tokens.access_token)).to.equal(true);
    // Half a minute before their end, so that a request under way has a token that is good.
    expect(tokens.expires_at).to.equal(now + (service().life - 30) * 1_000);
  });

  it('reports why the browser was redirected without a code', async () => {
    service().refuse = 'access_denied';
    const server = await discoverServer(service().baseUrl);
    const failure = await failureOf(loginByBrowser(server, (address) => service().visit(address), Date.now));
    expect(failure).to.include({ exit: 'auth', code: 'sign_in_access_denied' });
  });

  it('writes no control character of a refusal to the terminal', async () => {
    const said = 'red \u001b[31mtext\u0007';
    service().refuse = said;
    const server = await discoverServer(service().baseUrl);
    const failures = [await failureOf(loginByBrowser(server, (address) => service().visit(address), Date.now))];
    for (const body of [{ error: said }, { error: 'invalid_grant', error_description: said }]) {
      await using refusing = await startService(() => ({ status: 400, body }));
      failures.push(await failureOf(postForm(`${refusing.baseUrl}/token`, {})));
    }
    for (const { message } of failures) {
      expect(message).to.include('text').and.not.include('\u001b').and.not.include('\u0007');
    }
  });

  it('ignores a code without its state, and continues to wait', async () => {
    const server = await discoverServer(service().baseUrl);
    const forged: number[] = [];
    const open = async (address: string): Promise<void> => {
      const { redirect_uri: redirect = '', state = '' } = Object.fromEntries(new URL(address).searchParams);
      for (const query of ['?code=stolen&state=guessed', '?code=stolen', `?code=x&state=&iss=${service().origin}`]) {
        forged.push((await fetch(`${redirect}${query}`)).status);
      }
      // The answer of another server that was led to know the state (RFC 9207).
      forged.push((await fetch(`${redirect}?code=x&state=${state}&iss=https://upsilon.example`)).status);
      for (const path of ['/other', '//']) forged.push((await fetch(redirect.replace('/callback', path))).status);
      await service().visit(address);
    };
    const tokens = await loginByBrowser(server, open, Date.now);
    expect(forged).to.deep.equal([400, 400, 400, 400, 404, 404]);
    expect(service().good.access.has(tokens.access_token)).to.equal(true);
  });

  it('waits for a code that is entered elsewhere', async () => {
    service().pending = 3;
    const server = await discoverServer(service().baseUrl);
    const shown: string[] = [];
    const context = { now: Date.now, sleep: () => giveWay() };
    const tokens = await loginByDevice(server, ({ code, address }) => void shown.push(code, address), context);
    expect(shown).to.deep.equal(['BCDF-GHJK', `${service().origin}/oauth/device`]);
    expect(service().good.access.has(tokens.access_token)).to.equal(true);
    expect(service().asked.filter((asked) => asked.endsWith('/oauth/token'))).to.have.length(4);
  });

  it('polls five seconds less often after each slow_down', async () => {
    service().pending = 2;
    service().pendingError = 'slow_down';
    const slept: number[] = [];
    const sleep = (milliseconds: number): Promise<void> => {
      slept.push(milliseconds);
      return giveWay();
    };
    await loginByDevice(await discoverServer(service().baseUrl), () => undefined, { now: Date.now, sleep });
    expect(slept).to.deep.equal([1_000, 6_000, 11_000]);
  });

  for (const interval of [0, -5, 1e12]) {
    it(`polls for half an hour at most, with pauses of 1 to 60 seconds, when told ${interval} seconds for ever`, async () => {
      Object.assign(service(), { pending: Number.POSITIVE_INFINITY, deviceClaims: { interval, expires_in: 1e300 } });
      let time = 0;
      const slept: number[] = [];
      const sleep = (milliseconds: number): Promise<void> => {
        slept.push(milliseconds);
        time += Math.max(milliseconds, 200_000);
        return giveWay();
      };
      const server = await discoverServer(service().baseUrl);
      const failure = await failureOf(loginByDevice(server, () => undefined, { now: () => time, sleep }));
      expect(failure).to.have.property('code', 'sign_in_timeout');
      expect(slept).to.have.length(9);
      for (const pause of slept) expect(pause).to.be.within(1_000, 60_000);
    });
  }

  it('gives the codename and the token, until a flag gives another', async () => {
    const tokens = await signIn(here());
    const identity = await findIdentity(settingsOf(here()), LINUX);
    expect(identity.codename).to.equal('test-lantern');
    expect(await identity.tokens!.get()).to.equal(tokens.access_token);
    const given = await findIdentity({ ...settingsOf(here()), token: 'given', codename: 'other' }, LINUX);
    expect(given.codename).to.equal('other');
    expect(await given.tokens!.get()).to.equal('given');
  });

  it('renews a token that has ended, once for all runs that need it', async () => {
    service().life = 1;
    await signIn(here());
    service().life = 600;
    const runs = await Promise.all(Array.from({ length: 5 }, () => findIdentity(settingsOf(here()), LINUX)));
    const tokens = await Promise.all(runs.map(({ tokens: source }) => source!.get()));
    expect(new Set(tokens).size).to.equal(1);
    expect(service().good.access.has(tokens[0]!)).to.equal(true);
    expect(service().asked.filter((asked) => asked.endsWith('/oauth/token'))).to.have.length(2);
  });

  it('renews a token that the service refuses before its time', async () => {
    await signIn(here());
    const { tokens } = await findIdentity(settingsOf(here()), LINUX);
    const refused = await tokens!.get();
    service().good.access.clear();
    const renewed = await tokens!.renew();
    expect(renewed).not.to.equal(refused);
    expect(service().good.access.has(renewed!)).to.equal(true);
    expect(await tokens!.get()).to.equal(renewed);
  });

  it('keeps a refresh token that the server does not replace', async () => {
    service().rotates = false;
    service().life = 1;
    await signIn(here());
    const { tokens } = await findIdentity(settingsOf(here()), LINUX);
    for (let renewal = 0; renewal < 3; renewal += 1) {
      expect(service().good.access.has(await tokens!.get())).to.equal(true);
    }
    expect(service().asked.filter((asked) => asked.endsWith('/oauth/token'))).to.have.length(4);
    expect(service().good.refresh.size).to.equal(1);
  });

  it('reports how to sign in again after the sign-in was revoked', async () => {
    service().life = 1;
    await signIn(here());
    service().good.refresh.clear();
    const { tokens } = await findIdentity(settingsOf(here()), LINUX);
    const failure = await failureOf(tokens!.get());
    expect(failure).to.include({ exit: 'auth', code: 'signed_out' });
    expect(failure.message).to.include(`the sign-in at ${service().baseUrl} has ended`);
    expect(failure).to.have.property('hint', `Sign in with: upsilon login --base-url ${service().baseUrl}`);
  });
});

interface Place {
  readonly folder: string;
  readonly service: SignInService;
}

function settingsOf({ folder, service }: Place): Settings {
  return readSettings({ configDir: folder, baseUrl: service.baseUrl }, LINUX);
}

async function signIn({ folder, service }: Place): Promise<Tokens> {
  const server = await discoverServer(service.baseUrl);
  const tokens = await loginByBrowser(server, (address) => service.visit(address), Date.now);
  const session = {
    base_url: service.baseUrl,
    codename: 'test-lantern',
    issuer: server.issuer,
    resource: server.resource,
    token_endpoint: server.tokenEndpoint,
    revocation_endpoint: server.revocationEndpoint,
  };
  await openSessions(folder, false).save(session, tokens);
  return tokens;
}
