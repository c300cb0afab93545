import { expect } from 'chai';
import { dayEnds } from '../../../cli/src/ledger/day-ends.ts';
import { MAX_SNAPSHOT_AGE_MS } from '../../../engine/contract/signing/index.ts';
import { bucketsOf } from '../support/stores.ts';

const NOW = Date.parse('2026-06-15T12:00:00Z');

/** The buckets of one usage at each moment, of this many input tokens. */
function usagesAt(usages: ReadonlyArray<readonly [string, number]>) {
  return bucketsOf(
    usages.map(([moment, input]) => {
      const counts = { input, output: 1, cache_read: 0, cache_write: 0 };
      return { platform: 'codex', time: Date.parse(moment) / 1000, counts };
    }),
  );
}

describe('the totals of past days', () => {
  it('cover the days on which they grew, oldest first, without today', () => {
    const buckets = usagesAt([
      ['2026-06-14T23:59:59Z', 4],
      ['2026-06-10T00:00:00Z', 1],
      ['2026-06-10T18:00:00Z', 2],
      ['2026-06-15T00:00:00Z', 8],
    ]);
    const ends = dayEnds(buckets, 'codex', NOW).map(({ day, asOf, totals }) => [
      day,
      asOf,
      totals.input,
      totals.output,
    ]);
    expect(ends).to.deep.equal([
      ['2026-06-10', Date.parse('2026-06-10T23:59:59Z') / 1000, 3, 2],
      ['2026-06-14', Date.parse('2026-06-14T23:59:59Z') / 1000, 7, 3],
    ]);
  });

  it('include everything older in the first day that a service still accepts', () => {
    const buckets = usagesAt([
      ['2025-01-01T00:00:00Z', 1],
      ['2026-03-01T00:00:00Z', 2],
      ['2026-06-01T00:00:00Z', 4],
    ]);
    const [oldest, ...more] = dayEnds(buckets, 'codex', NOW);
    expect(oldest!.totals.input).to.equal(3);
    expect(NOW - oldest!.asOf * 1000).to.be.within(MAX_SNAPSHOT_AGE_MS - 86_400_000, MAX_SNAPSHOT_AGE_MS - 3_600_000);
    expect(more.map(({ day, totals }) => [day, totals.input])).to.deep.equal([['2026-06-01', 7]]);
  });

  it('are those of one platform', () => {
    const buckets = usagesAt([['2026-06-10T00:00:00Z', 1]]);
    expect(dayEnds(buckets, 'other', NOW)).to.deep.equal([]);
    expect(dayEnds(buckets, 'pi', NOW)).to.deep.equal([]);
  });
});
