import { hkdfSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { RATE_POLICIES } from '../../api/http/rate-limit/rate-policy.ts';
import { V1_ROUTES } from '../../api/v1/index.ts';
import { DAY_MS, MINUTE_MS } from '../../config/units.ts';
import { MAX_LIVE_DEVICES } from '../../engine/accounts/index.ts';
import { runCli } from '../cli/support/run-cli.ts';
import { FormBrowser } from '../support/form-browser.ts';
import { openIdentityService } from '../support/identity-service.ts';
import { makeDeviceKey, makeSubmission } from '../support/signing.ts';
import { useFixture } from '../support/use-fixture.ts';

const COUNTS = { input: 100, output: 2_000, cache_read: 30_000, cache_write: 0, platform: 'claude-code' };

const LOGS = fileURLToPath(new URL('../fixtures/claude-code/projects', import.meta.url));

/** The device key that a token stands for, derived as the tool does it. */
function keyOf(token: string) {
  return makeDeviceKey(Buffer.from(hkdfSync('sha256', token, '', 'upsilon automation key', 32)));
}

describe('abuse: automation tokens', () => {
  const service = useFixture(() => openIdentityService({ worker: true }));

  async function owner(name: string) {
    const browser = new FormBrowser();
    const start = await browser.get(`${service().origin}/login`);
    const { text } = await browser.submit(start, '/login/development', { name });
    const [, codename = ''] = /<h1>([^<]*)<\/h1>/.exec(text) ?? [];
    const page = () => browser.get(`${service().origin}/account`);
    const make = async (fields: Record<string, string> = {}) => {
      const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec((await page()).text) ?? [];
      const form = new URLSearchParams({ csrf, token_name: 'nightly', days: '30', ...fields });
      return browser.post(`${service().origin}/account/tokens`, form);
    };
    const token = async (): Promise<string> => {
      const shown = await browser.submit(await page(), '/account/tokens', { token_name: 'nightly' });
      return /ups_[\w-]{60}/.exec(shown.text)?.[0] ?? `none, but ${shown.status}`;
    };
    return { browser, codename, page, make, token };
  }

  async function call(token: string, method: string, path: string, body?: object, base = service().config.baseUrl) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', prefer: 'wait=10' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${base}${path}`, { method, headers, ...sent });
    const text = await response.text();
    const json: Record<string, unknown> = text.startsWith('{') ? JSON.parse(text) : {};
    return { status: response.status, json, text, headers: response.headers };
  }

  function submission(token: string, codename: string, jti: string) {
    const iat = Math.floor((Date.now() + service().ahead) / 1_000);
    return makeSubmission(keyOf(token), { codename, ...COUNTS }, { iat, jti, stream: 'a-run-of-its-own' });
  }

  it('are all that the tool needs, on machines that are new each time', async () => {
    const { codename, token, browser, page } = await owner('ephemeral');
    const secret = await token();
    const env = { UPSILON_TOKEN: secret, UPSILON_CODENAME: codename, UPSILON_BASE_URL: service().config.baseUrl };
    const run = async (...args: readonly string[]) => {
      const home = await mkdtemp(join(tmpdir(), 'upsilon-ephemeral-'));
      try {
        const ended = await runCli(home, ['--source-dir', LOGS, ...args], env);
        expect(`${ended.stdout}${ended.stderr}`).to.not.include(secret.slice(4, 40));
        return ended;
      } finally {
        await rm(home, { recursive: true });
      }
    };
    const planned = JSON.parse((await run('--dry-run', '--json')).stdout);
    expect(planned.key).to.include({ exists: false, kid: keyOf(secret).kid });
    expect(planned.requests.map(({ url }: { url: string }) => new URL(url).pathname)).to.not.include('/api/v1/devices');
    for (const time of ['first', 'second']) expect(await run(), time).to.include({ exit: 0, stderr: '' });
    const home = await mkdtemp(join(tmpdir(), 'upsilon-server-'));
    const kept = await runCli(home, ['login', '--service', 'board'], env);
    expect(kept).to.include({ exit: 0, stderr: '' });
    expect(kept.stdout).to.include(codename).and.not.include(secret.slice(4, 40));
    const later = await runCli(home, ['--service', 'board', '--source-dir', LOGS]);
    expect(later).to.include({ exit: 0, stderr: '' });
    const { operator = 0 } = (await service().ranking.operators.find(codename)) ?? {};
    const streams = await service().ranking.operators.streams(operator);
    // The logs are old, so that both streams are retired already.
    expect(streams?.retired.map(({ streams: count }) => count)).to.deep.equal([3]);
    for (const command of ['whoami', 'devices']) expect(await run(command)).to.include({ exit: 3 });
    await browser.submit(await page(), '/account/devices/revoke', { device: keyOf(secret).kid });
    const ended = await runCli(home, ['--source-dir', LOGS]);
    expect(ended.exit).to.equal(3);
    expect(ended.stderr).to.include('unknown, revoked or expired');
    await rm(home, { recursive: true });
    const refused = await run();
    expect(refused.exit).to.equal(3);
    expect(refused.stderr).to.include('unknown, revoked or expired').and.include('automation token from your account');
    const cut = await runCli(tmpdir(), [], { ...env, UPSILON_TOKEN: secret.slice(0, -1) });
    expect(cut).to.include({ exit: 2 });
    expect(cut.stderr).to.include('not complete').and.not.include(secret.slice(4, 40));
  });

  describe('at other times', () => {
    // Quotas of sign-in pages last a minute. The tool, above, signs by the machine's clock.
    beforeEach(() => {
      service().ahead += 2 * MINUTE_MS;
    });

    it('submit with the key that they stand for, and read the verdict', async () => {
      const { codename, token, page } = await owner('submitter');
      const secret = await token();
      expect((await page()).text)
        .to.include('nightly')
        .and.include('never used')
        .and.not.include(secret);
      const submitted = await call(secret, 'POST', '/snapshots', submission(secret, codename, 'the-run-one'));
      expect(submitted.json).to.include({ accepted: true, verdict: 'final' });
      expect((await call(secret, 'GET', '/snapshots/the-run-one')).json).to.include({
        accepted: true,
        jti: 'the-run-one',
      });
      const { text } = await page();
      expect(text).to.match(/last used \d+ [A-Z][a-z]+ \d{4}, \d\d:\d\d UTC, valid until/);
      expect(text).to.include('No device can sign for you yet');
    });

    it('do nothing else: every other operation refuses them', async () => {
      const { codename, token, browser, page } = await owner('restricted');
      const secret = await token();
      const operations = V1_ROUTES.filter(({ auth }) => auth === 'operator');
      const open = operations.filter(({ automation }) => automation === true);
      expect(open.map(({ operationId }) => operationId)).to.deep.equal(['submitSnapshot', 'getSnapshot']);
      for (const { method, path, operationId, automation } of operations) {
        if (automation === true) continue;
        const at = path.replace(/\{\w+\}/, 'x'.repeat(43));
        const { status, json, headers } = await call(secret, method.toUpperCase(), at);
        expect([status, json['code']], operationId).to.deep.equal([401, 'token_scope']);
        expect(headers.get('www-authenticate')).to.include('insufficient_scope');
      }
      for (const [base, path] of [
        [service().origin, '/oauth/userinfo'],
        [service().origin, '/account'],
      ] as const) {
        const { text } = await call(secret, 'GET', path, undefined, base);
        expect(text, path).to.not.include(codename);
      }
      browser.headers['authorization'] = `Bearer ${secret}`;
      expect((await page()).text).to.include(`<h1>${codename}</h1>`);
    });

    it('end with the request after their revocation, in every process, and so do their keys', async () => {
      const { codename, token, browser, page } = await owner('revoker');
      const [secret, other] = [await token(), await token()];
      const second = `${await service().another()}/api/v1`;
      const statuses = async (jti: string) => {
        const one = await call(secret, 'GET', `/snapshots/${jti}`);
        return [one.status, (await call(secret, 'GET', `/snapshots/${jti}`, undefined, second)).status];
      };
      await call(secret, 'POST', '/snapshots', submission(secret, codename, 'sent-before'));
      expect(await statuses('sent-before')).to.deep.equal([200, 200]);
      await browser.submit(await page(), '/account/devices/revoke', { device: keyOf(secret).kid });
      expect(await statuses('sent-before')).to.deep.equal([401, 401]);
      const refused = await call(secret, 'POST', '/snapshots', submission(secret, codename, 'sent-after'));
      expect(refused.json).to.include({ code: 'token_invalid' });
      expect(refused.text).to.not.include(secret.slice(4, 20));
      // Another valid token does not help the revoked token's key.
      const signed = submission(secret, codename, 'sent-by-another');
      expect((await call(other, 'POST', '/snapshots', signed)).json).to.include({ reason: 'key_revoked' });
      expect((await call(other, 'GET', '/snapshots/sent-before')).status).to.equal(200);
    });

    it('end with their time, and free their place', async () => {
      const { make, page } = await owner('patient');
      const shown = await make({ days: '2' });
      const secret = /ups_[\w-]{60}/.exec(shown.text)?.[0] ?? '';
      service().ahead += 2 * DAY_MS - MINUTE_MS;
      expect((await call(secret, 'GET', '/snapshots/unknown')).status).to.equal(404);
      service().ahead += 2 * MINUTE_MS;
      expect((await call(secret, 'GET', '/snapshots/unknown')).json).to.include({ code: 'token_invalid' });
      expect((await page()).text).to.include('nightly');
      await service().accounts.deleteExpired();
      expect((await page()).text).to.not.include('nightly');
    });

    it('end when the operator is suspended, and do not return', async () => {
      const { codename, token } = await owner('suspended');
      const secret = await token();
      const { operator = 0 } = (await service().ranking.operators.find(codename)) ?? {};
      await service().accounts.suspend(operator, true);
      expect((await call(secret, 'GET', '/snapshots/unknown')).status).to.equal(401);
      await service().accounts.suspend(operator, false);
      expect((await call(secret, 'GET', '/snapshots/unknown')).status).to.equal(401);
    });

    it('are made only by a page of the service, after a recent sign-in, for a year at most', async () => {
      const { browser, make, page } = await owner('careful');
      for (const fields of [
        { days: '366' },
        { days: '0' },
        { days: '1.5' },
        { days: 'x' },
        { token_name: ' ' },
        { token_name: 'x'.repeat(65) },
        { token_name: 'a\u0007b' },
      ]) {
        const refused = await make(fields);
        expect([refused.status, refused.text.includes('ups_')], JSON.stringify(fields)).to.deep.equal([400, false]);
      }
      expect((await make({ csrf: 'of another page' })).status).to.equal(403);
      const fields = new URLSearchParams({ token_name: 'x', days: '1' });
      const foreign = await browser.post(`${service().origin}/account/tokens`, fields, {
        origin: 'https://evil.example',
      });
      expect(foreign.status).to.equal(403);
      expect((await make({ days: '365', token_name: '<b>' })).status).to.equal(200);
      expect((await page()).text).to.include('&lt;b&gt;');
      service().ahead += 11 * MINUTE_MS;
      const stale = await make();
      expect([stale.status, stale.text.includes('ups_')]).to.deep.equal([403, false]);
      expect(stale.text).to.include('next=%2Faccount%23tokens');
    });

    it('count as devices, of which there are only so many', async () => {
      const { make } = await owner('collector');
      const made = [];
      for (let each = 0; each <= MAX_LIVE_DEVICES; each += 1) made.push((await make()).status);
      expect(made).to.deep.equal([...made.slice(0, -1).map(() => 200), 409]);
    });

    it('are recognized without a query, and invented ones are not', async () => {
      const { token } = await owner('recognized');
      const secret = await token();
      const { isGenuine } = service().accounts.automationTokens;
      expect(await isGenuine(secret)).to.equal(true);
      const at = (index: number) =>
        `${secret.slice(0, index)}${secret[index] === 'A' ? 'B' : 'A'}${secret.slice(index + 1)}`;
      for (const invented of [at(4), at(20), at(50), secret.slice(0, -1), `${secret}A`, `ups_${'A'.repeat(60)}`]) {
        expect(await isGenuine(invented), invented).to.equal(false);
        expect((await call(invented, 'GET', '/snapshots/unknown')).json).to.include({ code: 'token_invalid' });
      }
    });

    it('use up the quota of failures once they are revoked', async () => {
      const { token, browser, page } = await owner('persistent');
      const secret = await token();
      await browser.submit(await page(), '/account/devices/revoke', { device: keyOf(secret).kid });
      const { quota } = RATE_POLICIES.failures;
      const statuses = new Map<number, number>();
      for (let count = 0; count < quota + 3; count += 1) {
        const { status } = await call(secret, 'GET', '/snapshots/unknown');
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      expect(Object.fromEntries(statuses)).to.deep.equal({ 401: quota, 429: 3 });
    });

    it('are stored as hashes, and exported without them', async () => {
      const { token, browser, page } = await owner('hashed');
      const secret = await token();
      const { db } = service().connection;
      for (const { name } of (await db?.listCollections().toArray()) ?? []) {
        const documents = await service().connection.collection(name).find().toArray();
        expect(JSON.stringify(documents), name).to.not.include(secret.slice(4, 40));
      }
      const exported = await browser.submit(await page(), '/account/export');
      expect(exported.text).to.include('automation_token_made').and.include('expires_at');
      expect(exported.text).to.not.include(secret.slice(4, 40)).and.not.include('"token"');
    });
  });
});
