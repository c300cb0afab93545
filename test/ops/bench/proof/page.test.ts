import { expect } from 'chai';
import type { Figure } from '../../../../ops/bench/frame/bench.ts';
import { compareRows, readRows, renderPage } from '../../../../ops/bench/proof/page.ts';
import type { PartResult } from '../../../../ops/bench/proof/run-part.ts';

const RUN = { date: '2026-11-22T10:00:00.000Z', seconds: 90, commit: 'abc1234', machine: 'a processor, 2 cores' };

const read = (name: string, ratio: number, target?: Figure['target']): Figure => ({
  name,
  value: ratio * 50_000,
  unit: 'answers/s',
  ratio,
  against: 'a peer',
  target,
});

const latency = (value: number): Figure => ({
  name: 'verdict p99',
  value,
  unit: 'ms',
  ratio: null,
  against: 'a limit',
  target: { atMost: 250 },
});

const measured = (command: string, ...figures: Figure[]): PartResult => ({
  ...RUN,
  command,
  error: null,
  figures,
  text: `a table of ${command}`,
  details: null,
});

const failed = (command: string, error: string): PartResult => ({ ...measured(command), error, text: '' });

const pageOf = (former: string, parts: Readonly<Record<string, PartResult>>): string =>
  renderPage(former, new Map(Object.entries(parts)));

const reads = (leaderboard: number, profile: number): PartResult =>
  measured(
    'npm run bench -- reads',
    read('leaderboard', leaderboard, { atLeast: 0.9, aim: 0.95 }),
    read('warm profile', profile, { atLeast: 0.8 }),
    read('feed', 0.5),
  );

const rows = (parts: Readonly<Record<string, PartResult>>) => readRows(pageOf('', parts));

describe('the page of the proof', () => {
  it('has figures with their targets and results', () => {
    const page = pageOf('', { reads: reads(0.93, 0.7), load: measured('load', latency(1_176)) });
    expect(page).to.include('| Reads | leaderboard | 46,500 answers/s | a peer | 0.93 | ≥ 0.9 | 0.95 | met |');
    expect(page).to.include('| Reads | warm profile | 35,000 answers/s | a peer | 0.7 | ≥ 0.8 |  | **missed** |');
    expect(page).to.include('| Reads | feed | 25,000 answers/s | a peer | 0.5 |  |  |  |');
    expect(page).to.include('| Load | verdict p99 | 1,176 ms | a limit |  | ≤ 250 |  | **missed** |');
    expect(page).to.include('Of 3 targets, 1 are met; 2 missed.');
    expect(page).to.include(
      '### Reads\n\n`npm run bench -- reads`, 2026-11-22 10:00 UTC, 90 s, at abc1234, on a processor, 2 cores.\n\n```\na table of npm run bench -- reads\n```',
    );
  });

  it('shows dollar signs as code', () => {
    const page = pageOf('', { rerank: measured('rerank', { ...read('against $merge', 9), against: '$out' }) });
    expect(page).to.include('| Re-rank | against `$merge` | 450,000 answers/s | `$out` |');
  });

  it('keeps what it says about parts that were not measured again', () => {
    const former = pageOf('', { reads: reads(1, 1), load: measured('load', latency(176)) });
    const page = pageOf(former, { reads: reads(0.95, 0.9) });
    expect(readRows(page)).to.deep.equal(rows({ reads: reads(0.95, 0.9), load: measured('load', latency(176)) }));
    expect(page).to.include('a table of load');
    expect(pageOf(page, {})).to.equal(page);
  });

  it('shows failed parts, and parts that were never run', () => {
    const former = pageOf('', { reads: reads(1, 1) });
    const page = pageOf(former, { reads: failed('npm run bench -- reads', 'the api fell') });
    expect(page).to.include('| Reads | leaderboard |  | a peer |  | ≥ 0.9 | 0.95 | **failed** |');
    expect(page).to.include('Of 2 targets, 0 are met; 2 failed.');
    expect(page).to.match(/\*\*failed\*\*\.\n\n```\nthe api fell\n```/);
    expect(page).to.match(/### Growth\n\n`npm run bench -- scale`: not run yet/);
  });

  it('shows targets that a run did not measure', () => {
    const former = pageOf('', { reads: reads(1, 1) });
    const page = pageOf(former, { reads: measured('reads', read('leaderboard', 1, { atLeast: 0.9 })) });
    expect(page).to.include('| Reads | warm profile |  | a peer |  | ≥ 0.8 |  | **not measured** |');
    expect(page).to.include('Of 2 targets, 1 are met; 1 not measured.');
  });
});

describe('a second run of the proof', () => {
  it('may differ by a quarter in its ratios', () => {
    const changes = compareRows(rows({ reads: reads(0.8, 0.8) }), rows({ reads: reads(1, 0.59) }));
    expect(changes.map(({ what, off }) => [what, off])).to.deep.equal([
      ['Reads: leaderboard', false],
      ['Reads: warm profile', true],
    ]);
    expect(changes.map(({ change }) => change.toFixed(3))).to.deep.equal(['0.250', '-0.263']);
  });

  it('is reported, not checked, for values with a fixed limit', () => {
    const [change] = compareRows(
      rows({ load: measured('load', latency(1_100)) }),
      rows({ load: measured('load', latency(2_200)) }),
    );
    expect(change).to.include({ first: 1_100, checked: false, off: false, change: 1 });
  });

  it('is compared where both runs have figures', () => {
    expect(compareRows(rows({ reads: reads(1, 1) }), rows({ reads: failed('reads', 'fell') }))).to.deep.equal([]);
  });
});
