import { expect } from 'chai';
import type { Submission } from '../../../cli/src/ledger/ledger.ts';
import { type DayYield, historyChart, submittedHistory } from '../../../cli/src/views/submitted-history.ts';
import type { Counts } from '../../../engine/contract/signing/index.ts';
import { bucketsOf } from '../support/stores.ts';

const NOW = Date.parse('2026-06-15T12:00:00Z');

function usage(platform: string, day: string, [input, output, cache_read]: readonly number[]) {
  const counts = { input: input!, output: output!, cache_read: cache_read!, cache_write: 0 };
  return { platform, time: Date.parse(`${day}T10:00:00Z`) / 1000, counts };
}

const BUCKETS = bucketsOf([
  usage('codex', '2026-06-09', [0, 5, 5]),
  usage('codex', '2026-06-10', [10, 15, 15]),
  usage('pi', '2026-06-12', [0, 20, 60]),
  usage('codex', '2026-06-14', [10, 0, 0]),
  usage('codex', '2026-06-15', [1000, 1, 1]),
]);

function submission(platform: string, counts: readonly number[], backdated: string | null = '2026-06-14'): Submission {
  const [input, output, cache_read] = counts;
  const all: Counts = { input: input!, output: output!, cache_read: cache_read!, cache_write: 0 };
  return { base_url: 'https://board.example', codename: 'test-lantern', platform, epoch: 0, counts: all, backdated };
}

const CODEX = submission('codex', [1020, 21, 21]);
const PI = submission('pi', [0, 20, 60]);

/** The Yields of the history of these submissions. */
function yieldsOf(...made: readonly Submission[]): readonly number[] {
  return submittedHistory(BUCKETS, made, NOW).map(({ yield_ }) => yield_);
}

/** A history of these Yields, day after day. */
function historyOf(yields: readonly number[]): readonly DayYield[] {
  return yields.map((yield_, index) => ({
    day: new Date(Date.UTC(2026, 2, 1 + index)).toISOString().slice(0, 10),
    yield_,
  }));
}

describe('the history that was submitted', () => {
  it('has the Yield of all tools together at the end of each day, from the first one on', () => {
    expect(submittedHistory(BUCKETS, [CODEX, PI], NOW)).to.deep.equal([
      { day: '2026-06-10', yield_: 4 },
      { day: '2026-06-11', yield_: 4 },
      { day: '2026-06-12', yield_: 32 },
      { day: '2026-06-13', yield_: 32 },
      { day: '2026-06-14', yield_: 8 },
    ]);
  });

  it('leaves out what was not submitted: tools, days and pasts', () => {
    expect(yieldsOf(CODEX)).to.deep.equal([4, 4, 4, 4, 1]);
    expect(yieldsOf(submission('codex', [10, 20, 20]))).to.deep.equal([4]);
    expect(yieldsOf(submission('codex', [1020, 21, 21], null), PI)).to.deep.equal([]);
    expect(yieldsOf({ ...CODEX, counts: null })).to.deep.equal([]);
    expect(yieldsOf()).to.deep.equal([]);
  });

  it('is a line of blocks with its days, and its least and greatest Yield', () => {
    expect(historyChart(historyOf([1, 10, 100, 1000]), null)).to.deep.equal([
      'All-time Yield by day, from submitted history:',
      '▁▃▆█',
      '2026-03-01 to 2026-03-04, least 1, greatest 1,000',
    ]);
    expect(historyChart(historyOf([5, 5, 5]), 80)[1]).to.equal('▁▁▁');
    expect(historyChart(historyOf([5]), 80)).to.deep.equal([]);
    expect(historyChart([], null)).to.deep.equal([]);
  });

  it('has the last day of several in a block where the terminal is narrower, and always the last day', () => {
    const history = historyOf(Array.from({ length: 90 }, (_, index) => 1 + index));
    for (const columns of [20, 40, 80, 89, 90, 200]) {
      const [, blocks = ''] = historyChart(history, columns);
      expect(blocks, `${columns}`).to.have.length(Math.min(90, columns));
      expect(blocks.at(-1)).to.equal('█');
    }
  });
});
