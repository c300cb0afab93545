import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { useFreshFixture } from '../../support/use-fixture.ts';
import { assistantLine, writeLog } from '../support/log-lines.ts';
import { acceptAll, boardReply, STANDING, startService } from '../support/recording-service.ts';
import { runCli, useWarmCli } from '../support/run-cli.ts';
import { useFolder } from '../support/temporary-folder.ts';

/** Reports every way in which Node reaches the network to the file in its variable. */
const CAPTURE = `
  import { appendFileSync } from 'node:fs';
  import dgram from 'node:dgram';
  import dns from 'node:dns';
  import { Socket } from 'node:net';
  const report = (what) => appendFileSync(process.env.CAPTURE_FILE, what + '\\n');
  const watch = (of, name) => {
    const original = of[name];
    of[name] = function (...args) { report(name + ' ' + JSON.stringify(args[0])); return original.apply(this, args); };
  };
  watch(Socket.prototype, 'connect');
  watch(dgram, 'createSocket');
  watch(dns, 'lookup');
  watch(dns.promises, 'lookup');
`;

describe('the coach', () => {
  const home = useFolder();
  const warm = useWarmCli();
  const service = useFreshFixture(() => startService((request) => boardReply(request)));

  beforeEach(() => writeLog(home(), '.claude/projects/p/one.jsonl', [assistantLine({ id: 'a', request: 'r' })]));

  const run = async (...args: readonly string[]) => {
    const done = await warm(home(), [...args, '--json'], { UPSILON_BASE_URL: service().baseUrl });
    return JSON.parse(done.stdout);
  };

  it('what-if: changes counts, and reads the public board alone', async () => {
    // Input 10, output 20, cache reads 30: a Yield of 6.
    const { now, what_if } = await run('what-if', '--output', 'x2', '--cache-read', '+30');
    expect(now).to.deep.include({ yield_: 6, missing: [], standing: STANDING });
    expect(what_if).to.deep.include({ yield_: 24, counts: { input: 10, output: 40, cache_read: 60, cache_write: 40 } });
    // Of the counts, the service gets the Yields.
    expect(service().requests.map(({ method, path, body }) => ({ method, path, body }))).to.have.deep.members(
      [
        'leaderboard?window=all_time&limit=1',
        'standing?window=all_time&yield=6',
        'standing?window=all_time&yield=24',
      ].map((path) => ({ method: 'GET', path: `/api/v1/${path}`, body: '' })),
    );
    for (const { headers } of service().requests) expect(headers).not.to.have.property('authorization');
    expect((await run('what-if', '--input', '-1000')).error.message).to.include('below 0');
    const present = await run('what-if');
    expect(present).to.deep.include({ now, what_if: null });
    const shown = await runCli(home(), ['what-if'], { UPSILON_BASE_URL: service().baseUrl });
    expect(shown.stdout)
      .to.include('upsilon what-if --output +10% --input 7M')
      .and.not.match(/^What if/m);
    for (const bad of [
      ['--output', 'lots'],
      ['--output', '9999T'],
      ['--output', '1', '--window', '8d'],
    ]) {
      expect((await run('what-if', ...bad)).error.code).to.equal('settings_invalid');
    }
  });

  it('knows its own row by what this settings folder submitted, without a codename', async () => {
    const profile = { codename: 'test-lantern', rank: 1, yield_: 6 };
    await using only = await startService((request) => {
      if (request.path.endsWith('/operators/test-lantern')) return { status: 200, body: profile };
      return boardReply(request) ?? acceptAll()(request);
    });
    const env = { UPSILON_BASE_URL: only.baseUrl, UPSILON_TOKEN: 'a-token' };
    const asked = async () => {
      await warm(home(), ['goal'], env);
      return only.requests.findLast(({ path }) => path.endsWith('without=test-lantern')) ?? null;
    };
    expect(await asked()).to.equal(null);
    expect(await warm(home(), [], { ...env, UPSILON_CODENAME: 'test-lantern' })).to.include({ exit: 0 });
    const first = await asked();
    expect(first?.path).to.match(/^\/api\/v1\/standing\?window=all_time&yield=\d+&without=test-lantern$/);
    await warm(home(), [], { ...env, UPSILON_CODENAME: 'other-lantern' });
    expect(await asked()).to.equal(first);
  });

  it('goal: shows what the next rank and tier take, or those that are asked for', async () => {
    const { goals } = await run('goal');
    expect(
      goals.map(({ name, yield_, cache_read, output }: Record<string, unknown>) => [name, yield_, cache_read, output]),
    ).to.deep.equal([
      ['rank 2', 7, 5, 4],
      ['tier SEEKER', 10, 20, 14],
    ]);
    const shown = await warm(home(), ['goal'], { UPSILON_BASE_URL: 'http://127.0.0.1:9/api/v1' });
    expect(shown.stdout)
      .to.include('over all time: Yield 6.')
      .and.include('Ranks and tiers are unknown: cannot reach http://127.0.0.1:9/')
      .and.not.include('nothing above');
    const tier = await warm(home(), ['goal', '--tier', 'base'], { UPSILON_BASE_URL: 'http://127.0.0.1:9/api/v1' });
    expect(tier.stdout).to.match(/tier BASE +100 +16.7 +\? +\+470 +\+314/);
    const away = await warm(home(), ['goal', '--rank', '1'], { UPSILON_BASE_URL: 'http://127.0.0.1:9/api/v1' });
    expect(away.stdout).to.include('Ranks and tiers are unknown').and.not.include('nothing above');
    expect((await run('goal', '--tier', 'WOOD')).error.code).to.equal('settings_invalid');
  });

  it('why: shows no tables where there is no usage since then', async () => {
    const { stdout } = await warm(home(), ['why']);
    expect(stdout)
      .to.include('+0.0 %')
      .and.include('There is no usage that could have moved it.')
      .and.not.include('Sum');
  });

  it('why: explains a change by days, sessions and models', async () => {
    const now = new Date().toISOString();
    const line = assistantLine({ id: 'b', request: 'r', output: 400 }).replace('2026-05-01T10:00:00.000Z', now);
    await writeLog(home(), '.claude/projects/p/two.jsonl', [line]);
    const { change, parts } = await run('why', '--timezone', 'UTC');
    expect(change.before.yield_).to.equal(6);
    expect(change.after.yield_).to.equal((60 * 420) / 400);
    expect(change.ln_yield).to.be.closeTo(Math.log(63 / 6), 1e-9);
    const totals: Record<string, number> = Object.fromEntries(
      parts.day.map(({ key, total }: { key: string; total: number }) => [key, total]),
    );
    expect(totals['2026-05-01']).to.equal(0);
    expect(totals[now.slice(0, 10)]).to.be.closeTo(change.ln_yield, 1e-9);
    expect(Object.keys(parts)).to.deep.equal(['day', 'session', 'model']);
    const shown = await warm(home(), ['why']);
    expect(shown.stdout).to.include('went from 6 to 63').and.include('x 10.5');
    expect((await warm(home(), ['why', '--window', '7d'])).stdout).to.include('There is no Yield to compare');
    expect((await run('why', '--by', 'colour')).error.code).to.equal('settings_invalid');
    expect((await run('why', '--since', '2126-05-01')).error.message).to.equal('--since is in the future');
  });

  it('and every local view send nothing: no connection, no lookup of a name', async () => {
    const hook = join(home(), 'capture.mjs');
    const capture = join(home(), 'capture.txt');
    await writeFile(hook, CAPTURE);
    await writeFile(capture, '');
    const report = join(home(), 'report.json');
    await writeFile(report, '{"daily": []}');
    const env = { UPSILON_BASE_URL: service().baseUrl, NODE_OPTIONS: `--import ${hook}`, CAPTURE_FILE: capture };
    const views = [
      'daily',
      'weekly',
      'monthly',
      'session',
      'blocks',
      'prices',
      'top',
      'statusline',
      `import ${report}`,
    ];
    for (const view of views) {
      const { exit, stderr } = await runCli(home(), view.split(' '), env);
      expect({ exit, stderr }, view).to.deep.equal({ exit: exit === 5 ? 5 : 0, stderr: '' });
      expect(await readFile(capture, 'utf8'), view).to.equal('');
    }
    // What the capture sees when a command does read the board.
    await eventually('a read of the board', async () => {
      await runCli(home(), ['goal'], env);
      return service().requests.length > 0;
    });
    expect(await readFile(capture, 'utf8')).to.include('connect');
  });
});
