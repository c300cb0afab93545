import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { VERSION } from '../../../cli/src/version.ts';
import { assistantLine, writeLog } from '../support/log-lines.ts';
import { signedHeader } from '../support/parsing.ts';
import {
  acceptAll,
  type RecordedRequest,
  type RecordingService,
  type Reply,
  STANDING,
  startService,
} from '../support/recording-service.ts';
import { type CliRun, useWarmCli } from '../support/run-cli.ts';
import { useFolder } from '../support/temporary-folder.ts';

const FIXTURE = fileURLToPath(new URL('../../fixtures/claude-code/projects', import.meta.url));
const TOTALS = { input: 2_580, output: 53_970, cache_read: 430_500, cache_write: 210_000 };

/** What the tool's one JSON object holds, as far as these tests look at it. */
interface Printed {
  readonly mode: string;
  readonly platforms: ReadonlyArray<{ readonly totals: object; readonly below: unknown }>;
  readonly results: ReadonlyArray<{ readonly jti: string; readonly outcome: { readonly kind: string } }>;
  readonly warnings: readonly string[];
  readonly error: { readonly code: string; readonly message: string; readonly hint: string; readonly exit: number };
}

describe('upsilon', () => {
  const home = useFolder();
  const runCli = useWarmCli();
  let service: RecordingService;

  const serve = async (reply: (request: RecordedRequest, before: number) => Reply): Promise<void> => {
    service = await startService(reply);
  };
  const upsilon = (...args: readonly string[]): Promise<CliRun> =>
    runCli(home(), ['--source-dir', FIXTURE, ...args], {
      UPSILON_BASE_URL: service.baseUrl,
      UPSILON_TOKEN: 'a-secret-token',
      UPSILON_CODENAME: 'test-lantern',
    });
  const posted = (): readonly RecordedRequest[] => service.requests.filter(({ method }) => method === 'POST');
  const paths = (): readonly string[] => posted().map(({ method, path }) => `${method} ${path}`);

  afterEach(() => service[Symbol.asyncDispose]());

  it('counts, enrols the key, submits and shows the rank', async () => {
    await serve(acceptAll());
    const run = await upsilon();
    expect(run.stderr).to.equal('');
    expect(run.exit).to.equal(0);
    expect(run.stdout)
      .to.match(/claude-code +2,580 +53,970 +430,500 +210,000/)
      .and.include('rank 3');
    // The logs are of 2025, older than 90 days: one snapshot reports that past, one the present.
    expect(paths()).to.deep.equal(['POST /api/v1/devices', 'POST /api/v1/snapshots', 'POST /api/v1/snapshots']);
    const body: object = JSON.parse(posted()[2]!.body);
    expect(body).to.include({ codename: 'test-lantern', platform: 'claude-code', ...TOTALS });
  });

  it('ends with at most ten lines: standing, reasons, reliance, next and page; at first with badge and card', async () => {
    let standing: object = STANDING;
    const row = {
      codename: 'test-lantern',
      rank: 3,
      class_tier: 'REFINER',
      yield_: 6,
      witnessed_days: 2,
      provisional: true,
    };
    const profile = { ...row, missing: [{ of: 'witnessed_days', needs: 5, has: 2 }] };
    const asked: (string | null)[] = [];
    await serve((request) => {
      if (request.path.includes('/standing?')) return { status: 200, body: standing };
      if (request.path.endsWith('/operators/test-lantern')) return { status: 200, body: profile };
      if (!request.path.includes('/history')) return acceptAll()(request);
      const since = new URL(request.path, service.baseUrl).searchParams.get('since');
      asked.push(since);
      const parts = { since: '2026-05-01T14:00:00.000Z', rank_then: 5, change: 2, own: 3, field: -1, method: 0 };
      const changes = since === null ? {} : { since: parts };
      return { status: 200, body: { page: 'https://board.example/operators/test-lantern', changes } };
    });
    const before = Date.now();
    const first = linesOf(await upsilon());
    const site = 'https://board.example';
    expect(first).to.have.length(9);
    expect(first.slice(0, 4)).to.deep.equal([
      'test-lantern is rank 3 of 4 (percentile 50), tier REFINER, Yield 6.',
      'Witnessed 2 of 45 days, so the row is provisional. Missing: needs 5 witnessed days, has 2.',
      'Next: rank 2 from Yield 7; tier SEEKER from Yield 10 (rank 2).',
      `Page: ${site}/operators/test-lantern`,
    ]);
    expect(first[5]).to.equal(
      `[![test-lantern on Upsilon](${site}/card/test-lantern.svg)](${site}/operators/test-lantern)`,
    );
    expect(linesOf(await upsilon('share')).slice(4)).to.deep.equal(first.slice(4));
    const [, moved, , , page, ...rest] = linesOf(await upsilon());
    expect(moved).to.equal('Up 2 since 2026-05-01 14:00 UTC: own counts +3, others -1.');
    expect([page, rest]).to.deep.equal([`Page: ${site}/operators/test-lantern (badge and card: upsilon share)`, []]);
    expect(asked.slice(0, 2)).to.deep.equal([null, null]);
    expect(Date.parse(asked[2] ?? '')).to.be.within(before, Date.now());
    const requests = service.requests.length;
    expect(await upsilon('--quiet')).to.deep.equal({ exit: 0, stdout: '', stderr: '' });
    expect(service.requests.slice(requests).map(({ method }) => method)).to.deep.equal(['POST']);
    expect((await upsilon('--verbose')).stdout)
      .to.include('Claude Code: ')
      .and.include(`POST ${service.baseUrl}/snapshots: 200`)
      .and.match(/Stream: \S+, epoch 0\. Key: /);
    standing = {};
    expect(linesOf(await upsilon())[3]).to.match(/^What comes next is unknown: .*not an Upsilon service/);
  });

  it('enrols a key once for a service and codename, and keeps key and stream', async () => {
    await serve(acceptAll());
    await upsilon();
    const again = printed(await upsilon('--json'));
    await upsilon('--codename', 'other-lantern');
    expect(paths().filter((path) => path.endsWith('/devices'))).to.have.length(2);
    expect(again.results.map(({ outcome }) => outcome.kind)).to.deep.equal(['accepted']);
    const headers = service.requests
      .filter(({ path }) => path.endsWith('/snapshots'))
      .map(({ body }) => signedHeader(body));
    expect(new Set(headers.map(({ kid }) => kid)).size).to.equal(1);
    expect(new Set(headers.map(({ stream }) => stream)).size).to.equal(1);
    expect(new Set(headers.map(({ jti }) => jti)).size).to.equal(5);
  });

  it('enrols the key again, once, when the service no longer knows it', async () => {
    const refused = {
      accepted: false,
      codename: 'test-lantern',
      rank: null,
      reason: 'key_unknown',
      detail: 'No such key.',
    };
    await serve((request, before) => acceptAll(before === 2 ? refused : undefined)(request));
    expect((await upsilon()).exit).to.equal(0);
    expect(paths()).to.deep.equal([
      'POST /api/v1/devices',
      'POST /api/v1/snapshots',
      'POST /api/v1/devices',
      'POST /api/v1/snapshots',
      'POST /api/v1/snapshots',
    ]);
    expect(posted()[3]!.body).not.to.equal(posted()[1]!.body);
  });

  it('sends nothing to a server that is not Upsilon, whatever it responds', async () => {
    const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html><h1>Welcome</h1>' };
    let status = 200;
    await serve(() => ({ ...page, status }));
    const runs = [await upsilon(), await upsilon('whoami'), await upsilon('devices')];
    status = 404;
    runs.push(await upsilon());
    for (const { stderr } of runs) expect(stderr).to.include(`${service.baseUrl} is not an Upsilon service`);
    // The response of a proxy whose service is down.
    status = 502;
    runs.push(await upsilon());
    expect(runs.map(({ exit }) => exit)).to.deep.equal(runs.map(() => 4));
    const asked = service.requests.map(({ method, path, headers, body }) => [
      `${method} ${path}`,
      headers.authorization,
      body,
    ]);
    expect(asked).to.deep.equal(runs.map(() => ['GET /api/v1/devices', undefined, '']));
  });

  it('sends nothing to an address of the service that is not its API', async () => {
    await serve(() => ({ status: 404, body: { code: 'path_unknown', detail: 'Nothing is here.' } }));
    const run = await upsilon();
    expect(run.exit).to.equal(4);
    expect(run.stderr)
      .to.include(`not found at ${service.baseUrl}: Nothing is here.`)
      .and.include('It ends in /api/v1.');
    expect(service.requests.map(({ method, headers }) => [method, headers.authorization])).to.deep.equal([
      ['GET', undefined],
    ]);
  });

  it('takes a page of HTML for no enrolment, and one that it knows for no profile', async () => {
    const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html>' };
    await serve((request) => (request.method === 'GET' ? acceptAll()(request) : page));
    const run = await upsilon();
    expect(run.exit).to.equal(4);
    expect(run.stderr).to.include(`${service.baseUrl} is not an Upsilon service`);
    expect(run.stdout).not.to.include('Enrolled');
    expect(await readdir(join(home(), '.config', 'upsilon'))).not.to.include('enrolments.json');
    for (const status of [200, 404]) {
      await service[Symbol.asyncDispose]();
      await serve(() => ({ ...page, status }));
      expect((await upsilon('status')).stderr).to.include('is not an Upsilon service');
    }
  });

  it('shows the command that replaces a lost key, and needs no key for what does not sign', async () => {
    await serve((request) => (request.method === 'DELETE' ? { status: 204 } : acceptAll()(request)));
    await upsilon();
    const path = join(home(), '.config', 'upsilon', 'device-key.json');
    const { d, ...key }: Record<string, string> = JSON.parse(await readFile(path, 'utf8'));
    expect(d).to.have.length(43);
    // As an earlier version wrote it; the keychain that it means is not there.
    await writeFile(path, JSON.stringify({ ...key, keychain: true }));
    const dryRun = await upsilon('--dry-run');
    expect(dryRun).to.include({ exit: 0 });
    expect(dryRun.stderr).to.include('which does not return it');
    expect((await upsilon('status')).exit).to.equal(0);
    const lost = await upsilon();
    expect(lost.exit).to.equal(8);
    const [, command = ''] = /upsilon (devices revoke .+)/.exec(lost.stderr)!;
    expect((await upsilon(...command.split(' '))).stdout).to.include('The next run creates a new key.');
    expect((await upsilon()).exit).to.equal(0);
    const headers = posted()
      .filter((request) => request.path.endsWith('/snapshots'))
      .map(({ body }) => signedHeader(body));
    expect(new Set(headers.map(({ kid }) => kid)).size).to.equal(2);
    expect(new Set(headers.map(({ stream }) => stream)).size).to.equal(1);
  });

  it('gives up when the key stays unknown', async () => {
    const refused = { accepted: false, codename: 'test-lantern', rank: null, reason: 'key_unknown' };
    await serve(acceptAll(refused));
    const run = await upsilon();
    expect(run.exit).to.equal(1);
    expect(run.stdout).to.include('key_unknown');
    expect(posted()).to.have.length(4);
  });

  it('reports what to do about a key that the service refuses', async () => {
    const taken = { code: 'key_taken', detail: 'Enrolled for another operator.' };
    let body = taken;
    await serve(() => ({ status: 400, body }));
    const run = await upsilon();
    expect(run.exit).to.equal(1);
    expect(run.stderr).to.include('Enrolled for another operator.').and.include('--config-dir');
    body = { code: 'proof_invalid', detail: 'Over another codename.' };
    expect((await upsilon()).stderr)
      .to.include('Over another codename.')
      .and.include('has to be that of the sign-in');
  });

  it('reports a refusal, its reason, and the time of the service when clocks differ', async () => {
    const date = 'Mon, 01 Jun 2026 12:00:00 GMT';
    const refused = {
      accepted: false,
      codename: 'test-lantern',
      rank: null,
      reason: 'issued_in_future',
      detail: 'Ahead.',
    };
    await serve((request) => ({ ...acceptAll(refused)(request)!, headers: { date } }));
    const run = await upsilon();
    expect(run.exit).to.equal(1);
    expect(run.stdout).to.include('issued_in_future').and.include('Ahead.').and.include(date);
  });

  it('exits 3 on 401 and shows how to get a token; 7 on 402 and shows how to subscribe', async () => {
    let status = 401;
    await serve(() => ({ status, body: { code: 'a_code', detail: 'No.' } }));
    const unauthorized = await upsilon();
    expect(unauthorized.exit).to.equal(3);
    expect(unauthorized.stderr).to.include('UPSILON_TOKEN').and.include('No. (a_code)');
    status = 402;
    const unpaid = await upsilon();
    expect(unpaid.exit).to.equal(7);
    expect(unpaid.stderr).to.include('upsilon subscribe');
    const scripted = await upsilon('--json');
    expect(printed(scripted).error).to.include({ code: 'a_code', exit: 7 });
    // Without a terminal nothing was asked or started.
    expect(paths().filter((path) => path.includes('billing'))).to.deep.equal([]);
  });

  it('shows where to change an existing plan, if the address is http or https', async () => {
    let portal = 'https://pay.example/portal';
    await serve(() => ({
      status: 400,
      body: { code: 'already_subscribed', hint: 'See links.portal.', links: { portal } },
    }));
    const result = await upsilon('subscribe');
    expect(result.exit).to.equal(1);
    expect(result.stderr).to.include(portal).and.include('To submit, run: upsilon').and.not.include('links.portal');
    portal = 'javascript:alert(1)';
    expect((await upsilon('subscribe')).stderr)
      .to.include('To submit, run: upsilon')
      .and.not.include('javascript');
  });

  it('prints one JSON object and nothing else, on success and on failure', async () => {
    await serve(acceptAll());
    const good = await upsilon('--json');
    expect(good.stderr).to.equal('');
    expect(printed(good)).to.include({ mode: 'submit' });
    expect(printed(good).platforms[0]).to.deep.include({ totals: TOTALS, below: [] });
    const bad = await upsilon('--json', '--base-url', 'ftp://nowhere', '--codename', '-');
    expect(bad).to.include({ exit: 2, stderr: '' });
    expect(printed(bad).error).to.include({ code: 'settings_invalid', exit: 2 });
    expect(printed(bad).error.message).to.include('ftp://nowhere').and.include('"-"');
    const worse = await upsilon('--json', '--no-such-flag');
    expect(worse).to.include({ exit: 2, stderr: '' });
    expect(printed(worse).error.code).to.equal('usage');
  });

  it('warns when most messages carry a placeholder for input', async () => {
    await serve(acceptAll());
    const lines = Array.from({ length: 12 }, (_, index) =>
      assistantLine({ id: `m${index}`, request: 'r', input: index < 7 ? index % 2 : 500 }),
    );
    await writeLog(home(), '.claude/projects/p/session.jsonl', lines);
    const run = await runCli(home(), ['--dry-run', '--base-url', service.baseUrl]);
    expect(run.stderr).to.include('7 of 12 messages').and.include('Yield far too high');
  });

  it('finds logs in the default places, and exits 5 when there are none', async () => {
    await serve(acceptAll());
    const env = { UPSILON_TOKEN: 't', UPSILON_CODENAME: 'test-lantern', UPSILON_BASE_URL: service.baseUrl };
    const nothing = await runCli(home(), [], env);
    expect(nothing.exit).to.equal(5);
    expect(nothing.stdout)
      .to.include(join(home(), '.claude', 'projects'))
      .and.include('--source-dir');
    expect(nothing.stdout.split('\n  ')).to.have.length.below(11);
    expect(service.requests).to.deep.equal([]);
    await writeLog(home(), '.claude/projects/p/one.jsonl', [assistantLine({ id: 'a', request: 'r' })]);
    await writeLog(home(), '.config/claude/projects/p/two.jsonl', [assistantLine({ id: 'b', request: 'r' })]);
    const both = printed(await runCli(home(), ['--json'], env));
    expect(both.platforms[0]!.totals).to.deep.equal({ input: 20, output: 40, cache_read: 60, cache_write: 80 });
  });

  it('exits 8 when its files are damaged, and does not change them', async () => {
    await serve(acceptAll());
    await writeFile(join(home(), 'ledger.json'), '{');
    const run = await upsilon('--config-dir', home());
    expect(run.exit).to.equal(8);
    expect(await readFile(join(home(), 'ledger.json'), 'utf8')).to.equal('{');
    expect(service.requests).to.deep.equal([]);
  });

  it('requires token and codename after showing the counts, before it creates or sends anything', async () => {
    await serve(acceptAll());
    const bare = await runCli(home(), ['--source-dir', FIXTURE, '--base-url', service.baseUrl]);
    expect(bare.exit).to.equal(3);
    expect(bare.stdout).to.include('430,500');
    expect(bare.stderr).to.include('UPSILON_TOKEN').and.include('upsilon login');
    const nameless = await runCli(home(), ['--source-dir', FIXTURE, '--base-url', service.baseUrl, '--token', 't']);
    expect(nameless.exit).to.equal(2);
    // The counts are saved, because logs may be deleted before the user signs in.
    expect(await readdir(join(home(), '.config', 'upsilon'))).to.deep.equal(['usage.db']);
    expect(service.requests).to.deep.equal([]);
  });

  it('refuses a --source-dir that is not a folder', async () => {
    await serve(acceptAll());
    const run = await upsilon('--source-dir', join(home(), 'mistyped'));
    expect(run.exit).to.equal(2);
    expect(run.stderr).to.include('mistyped');
  });

  it('states the version of its package', async () => {
    await serve(acceptAll());
    const text = await readFile(new URL('../../../cli/package.json', import.meta.url), 'utf8');
    expect(JSON.parse(text)).to.include({ version: VERSION });
    expect((await upsilon('--version')).stdout).to.equal(`${VERSION}\n`);
  });
});

/** The lines with which a run ends, from the standing on. */
function linesOf({ stdout }: CliRun): readonly string[] {
  return stdout.slice(stdout.indexOf('test-lantern is')).trimEnd().split('\n');
}

function printed(run: CliRun): Printed {
  expect(run.stdout.trimEnd().split('\n'), 'one line of JSON').to.have.length(1);
  const value: Printed = JSON.parse(run.stdout);
  return value;
}
