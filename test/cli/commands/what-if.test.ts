import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { standingOf } from '../../../cli/src/commands/what-if.ts';
import { placeOn } from '../../../cli/src/net/public-board.ts';
import { placeText } from '../../../cli/src/output/place-text.ts';
import type { Counts } from '../../../engine/contract/signing/index.ts';
import { CLASS_TIERS } from '../../../engine/contract/tiers.ts';
import { useFreshFixture } from '../../support/use-fixture.ts';
import { assistantLine, writeLog } from '../support/log-lines.ts';
import { acceptAll, NO_FLOORS, startService } from '../support/recording-service.ts';
import { runCli } from '../support/run-cli.ts';
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

/** The rank and tier of counts among Yields, computed again: a row among rows. */
function recompute({ input, output, cache_read }: Counts, yields: readonly number[]) {
  const own = { yield_: (cache_read * output) / (input * input), isOwn: true };
  const board = [own, ...yields.map((yield_) => ({ yield_, isOwn: false }))];
  const rank = 1 + board.filter(({ yield_, isOwn }) => !isOwn && yield_ > own.yield_).length;
  const tiers = CLASS_TIERS.filter(({ from }) => own.yield_ >= from);
  return { rank, total_operators: board.length, tier: tiers.at(-1)!.name };
}

describe('the coach', function () {
  this.timeout(120_000);
  const home = useFolder();
  const service = useFreshFixture(() => startService(() => ({ status: 200, body: board })));
  const board = {
    total_operators: 3,
    floors: NO_FLOORS,
    entries: [5000, 7, 5].map((yield_, at) => ({ codename: `test-op-${at}`, yield_ })),
  };

  beforeEach(() => writeLog(home(), '.claude/projects/p/one.jsonl', [assistantLine({ id: 'a', request: 'r' })]));

  const run = async (...args: readonly string[]) => {
    const done = await runCli(home(), [...args, '--json'], { UPSILON_BASE_URL: service().baseUrl });
    return JSON.parse(done.stdout);
  };

  it('gives other counts the rank and tier that they would have among the same rows', () => {
    const count = fc.integer({ min: 1, max: 1_000_000 });
    const counts = fc.record({ input: count, output: count, cache_read: count, cache_write: count });
    const yields = fc.array(fc.oneof(fc.double({ min: 0, max: 1e6, noNaN: true }), fc.constantFrom(1, 100)), {
      maxLength: 100,
    });
    let compared = 0;
    fc.assert(
      fc.property(counts, yields, fc.boolean(), (own, others, isEqual) => {
        // Equals share a rank.
        const among = isEqual ? [...others.slice(1), standingOf(own, 'no board').yield_!] : others;
        const { tier, place } = standingOf(own, { yields: among, more: 0, floors: NO_FLOORS, own: null });
        const { rank, total_operators, tier: again } = recompute(own, among);
        expect({ tier, rank: place!.rank, total: place!.total_operators }).to.deep.equal({
          tier: again,
          rank,
          total: total_operators,
        });
        compared += 1;
      }),
      { numRuns: 100 },
    );
    expect(compared).to.equal(100);
  });

  it('bounds the rank among rows that are not shown by the entries and the present row', () => {
    const yield_ = fc.integer({ min: 1, max: 12 });
    fc.assert(
      fc.property(
        fc.array(yield_, { minLength: 1, maxLength: 40 }),
        fc.option(yield_, { nil: null }),
        fc.integer({ min: 1, max: 10 }),
        yield_,
        fc.boolean(),
        (others, ownYield, shown, wanted, isKnown) => {
          // Equals in any order: the operator's row is after its equals.
          const rows = [
            ...others.map((each) => ({ each, isOwn: false })),
            ...(ownYield === null ? [] : [{ each: ownYield, isOwn: true }]),
          ].sort((one, other) => other.each - one.each);
          const entries = rows.slice(0, shown);
          const isListed = entries.some(({ isOwn }) => isOwn);
          const rank = ownYield === null ? 0 : 1 + others.filter((each) => each > ownYield).length;
          const partial = {
            yields: entries.filter(({ isOwn }) => !isOwn).map(({ each }) => each),
            more: rows.length - entries.length,
            floors: NO_FLOORS,
            own: ownYield === null || (!isListed && !isKnown) ? null : { rank, yield_: ownYield, isListed },
          };
          const truth = 1 + others.filter((each) => each > wanted).length;
          const place = placeOn(partial, wanted);
          if (place.rank !== null) return void expect(place.rank).to.equal(truth);
          expect(truth).to.be.greaterThan(place.below).and.at.most(place.worst);
          expect(placeText(place)).to.match(place.worst < place.total_operators ? /^between/ : /^below/);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('knows the ranks of a profile beyond the first hundred, and asks for one only there', async () => {
    const entries = Array.from({ length: 100 }, (_, at) => ({
      codename: `test-op-${at}`,
      rank: at + 1,
      yield_: 1000 - at,
    }));
    await using large = await startService(({ path }) => {
      const windows = { '30d': { rank: 140, yield_: 6 } };
      return path.includes('/operators/')
        ? { status: 200, body: { rank: 180, yield_: 6, windows } }
        : { status: 200, body: { total_operators: 250, floors: NO_FLOORS, entries } };
    });
    const env = { UPSILON_BASE_URL: large.baseUrl, UPSILON_CODENAME: 'test-lantern' };
    const { stdout } = await runCli(home(), ['what-if', '--output', 'x2'], env);
    expect(stdout)
      .to.match(/Now .* 180 of 250\n/)
      .and.match(/What if .* between 101 and 180 of 250\n/);
    expect(large.requests.map(({ path }) => path)).to.deep.equal([
      '/api/v1/leaderboard?limit=100',
      '/api/v1/operators/test-lantern',
    ]);
    const nameless = { UPSILON_BASE_URL: large.baseUrl };
    expect((await runCli(home(), ['what-if', '--output', 'x2'], nameless)).stdout).to.include('below 100 of 251');
    const refused = await runCli(home(), ['goal', '--rank', '101'], env);
    expect(refused).to.have.property('exit', 2);
    expect(refused.stderr).to.include('first 100 rows');
  });

  it('gives counts below the floors of the methodology neither rank nor tier, and says so', async () => {
    const floors = { minimum_tokens: 100, minimum_input: 20, minimum_input_share: 0.05 };
    await using strict = await startService(() => ({ status: 200, body: { ...board, floors } }));
    const env = { UPSILON_BASE_URL: strict.baseUrl };
    const { now, what_if } = JSON.parse((await runCli(home(), ['what-if', '--input', 'x2', '--json'], env)).stdout);
    expect(now).to.deep.include({ tier: null, place: null, missing: [{ of: 'input', needs: 20, has: 10 }] });
    expect(what_if).to.deep.include({ tier: 'REFINER', missing: [] }).and.have.nested.property('place.rank', 4);
    const shown = await runCli(home(), ['what-if', '--input', 'x2'], env);
    expect(shown.stdout).to.match(
      /Now: no rank and no tier,\s+because the methodology requires more\.\s+It needs 20 input\s+tokens,\s+has\s+50 % of\s+that\./,
    );
    // More output alone never brings the input that is required.
    const { goals, missing } = JSON.parse((await runCli(home(), ['goal', '--json'], env)).stdout);
    expect(missing).to.have.length(1);
    expect(goals.map(({ cache_read, output }: Record<string, unknown>) => [cache_read, output])).to.deep.equal([
      [null, null],
      [null, null],
    ]);
    expect((await runCli(home(), ['goal'], env)).stdout).to.include('below the floors of the methodology');
  });

  it('what-if: changes counts, and reads the public board alone', async () => {
    // Input 10, output 20, cache reads 30: a Yield of 6.
    const { now, what_if } = await run('what-if', '--output', 'x2', '--cache-read', '+30');
    expect(now).to.deep.include({
      yield_: 6,
      tier: 'REFINER',
      place: { rank: 3, below: 0, worst: 3, total_operators: 4 },
    });
    expect(what_if).to.deep.include({
      yield_: 24,
      tier: 'SEEKER',
      place: { rank: 2, below: 0, worst: 2, total_operators: 4 },
    });
    expect(what_if.counts).to.deep.equal({ input: 10, output: 40, cache_read: 60, cache_write: 40 });
    const sent = service().requests.map(({ method, path, body }) => ({ method, path, body }));
    expect(sent).to.deep.equal([{ method: 'GET', path: '/api/v1/leaderboard?limit=100', body: '' }]);
    expect(service().requests[0]!.headers).not.to.have.property('authorization');
    expect((await run('what-if', '--input', '-1000')).error.message).to.include('below 0');
    for (const bad of [[], ['--output', 'lots'], ['--output', '9999T'], ['--output', '1', '--window', '8d']]) {
      expect((await run('what-if', ...bad)).error.code).to.equal('settings_invalid');
    }
  });

  it('knows its own row by what this settings folder submitted, without a codename', async () => {
    const own = { total_operators: 1, floors: NO_FLOORS, entries: [{ codename: 'test-lantern', yield_: 6 }] };
    await using only = await startService((request) =>
      request.path.includes('/leaderboard') ? { status: 200, body: own } : acceptAll()(request),
    );
    const env = { UPSILON_BASE_URL: only.baseUrl, UPSILON_TOKEN: 'a-token' };
    const standing = async () => JSON.parse((await runCli(home(), ['goal', '--json'], env)).stdout);
    expect((await standing()).place).to.include({ total_operators: 2 });
    expect(await runCli(home(), [], { ...env, UPSILON_CODENAME: 'test-lantern' })).to.include({ exit: 0 });
    expect((await standing()).place).to.include({ rank: 1, total_operators: 1 });
    expect((await runCli(home(), ['goal', '--rank', '1'], env)).stdout).to.include('This goal is reached.');
    await runCli(home(), [], { ...env, UPSILON_CODENAME: 'other-lantern' });
    expect((await standing()).place).to.include({ total_operators: 2 });
  });

  it('goal: shows what the next rank and tier take, or those that are asked for', async () => {
    const { goals } = await run('goal');
    expect(
      goals.map(({ name, yield_, cache_read, output }: Record<string, unknown>) => [name, yield_, cache_read, output]),
    ).to.deep.equal([
      ['rank 2', 7, 5, 4],
      ['tier SEEKER', 10, 20, 14],
    ]);
    const asked = await run('goal', '--rank', '1', '--tier', 'base');
    expect(asked.goals.map(({ name }: { name: string }) => name)).to.deep.equal(['tier BASE', 'rank 1']);
    const shown = await runCli(home(), ['goal'], { UPSILON_BASE_URL: 'http://127.0.0.1:9/api/v1' });
    expect(shown.stdout)
      .to.include('Yield 6, tier REFINER')
      .and.include('Ranks are unknown')
      .and.include('tier SEEKER');
    const away = await runCli(home(), ['goal', '--rank', '1'], { UPSILON_BASE_URL: 'http://127.0.0.1:9/api/v1' });
    expect(away.stdout).to.include('Ranks are unknown').and.not.include('nothing above');
    expect((await run('goal', '--tier', 'WOOD')).error.code).to.equal('settings_invalid');
  });

  it('why: shows no tables where there is no usage since then', async () => {
    const { stdout } = await runCli(home(), ['why']);
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
    const shown = await runCli(home(), ['why']);
    expect(shown.stdout).to.include('went from 6 to 63').and.include('x 10.5');
    expect((await runCli(home(), ['why', '--window', '7d'])).stdout).to.include('There is no Yield to compare');
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
      'why',
      `import ${report}`,
    ];
    for (const view of views) {
      const { exit, stderr } = await runCli(home(), view.split(' '), env);
      expect({ exit, stderr }, view).to.deep.equal({ exit: exit === 5 ? 5 : 0, stderr: '' });
      expect(await readFile(capture, 'utf8'), view).to.equal('');
    }
    // What the capture sees when a command does read the board.
    await runCli(home(), ['goal'], env);
    expect(await readFile(capture, 'utf8')).to.include('connect');
    expect(service().requests).to.have.length(1);
  });
});
