import { expect } from 'chai';
import * as fc from 'fast-check';
import { agrees, compareDays } from '../../../cli/src/otel/agreement.ts';
import type { DaySums } from '../../../cli/src/otel/day-sums.ts';
import { emptyStore } from '../../../cli/src/store/usage-store.ts';
import { hashKeys } from '../../../cli/src/store/usage-table.ts';
import type { Counts } from '../../../engine/contract/signing/index.ts';

const DAY_MS = 86_400_000;
const TODAY = 20_600;
const NOON = TODAY * DAY_MS + DAY_MS / 2;
const countsOf = (output: number): Counts => ({ input: 100, output, cache_read: 0, cache_write: 7 });

/** A store of Claude Code with these outputs by day. */
function logsOf(days: Readonly<Record<number, number>>) {
  const store = emptyStore(0);
  store.platforms.push('claude-code');
  for (const [day, output] of Object.entries(days)) {
    const keys = hashKeys('claude-code', [day]);
    store.table.add({
      keys,
      request: 0,
      counts: countsOf(output),
      time: Number(day) * 86_400 + 9,
      file: 0,
      platform: 0,
      origin: 0,
    });
  }
  return store;
}

function metricsOf(days: Readonly<Record<number, number>>, platform = 'claude-code'): DaySums {
  return Object.fromEntries(Object.entries(days).map(([day, output]) => [day, { [platform]: countsOf(output) }]));
}

function marks(
  logs: Readonly<Record<number, number>>,
  metrics: Readonly<Record<number, number>>,
  now = NOON,
): string | null {
  const compared = compareDays(logsOf(logs), metricsOf(metrics), now).get('claude-code');
  return compared?.map(({ mark }) => mark).join('') ?? null;
}

describe('two records of the same tokens', () => {
  it('agree up to 2 % of the larger one, in each of the four counts', () => {
    const base = { input: 10_000, output: 10_000, cache_read: 10_000, cache_write: 10_000 };
    for (const field of ['input', 'output', 'cache_read', 'cache_write'] as const) {
      for (const [other, expected] of [
        [9_800, true],
        [9_799, false],
        [10_204, true],
        [10_205, false],
      ] as const) {
        expect(agrees(base, { ...base, [field]: other }), `${field} ${other}`).to.equal(expected);
      }
    }
    expect(agrees(countsOf(0), countsOf(0))).to.equal(true);
    expect(agrees(countsOf(0), countsOf(1))).to.equal(false);
    expect(agrees(countsOf(50), countsOf(49))).to.equal(true);
    expect(agrees(countsOf(49), countsOf(48))).to.equal(false);
  });

  it('agree either way round, exactly where 50 times the difference is at most the larger one', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (one, other) => {
        const expected = BigInt(Math.abs(one - other)) * 50n <= BigInt(Math.max(one, other));
        expect(agrees(countsOf(one), countsOf(other))).to.equal(expected);
        expect(agrees(countsOf(other), countsOf(one))).to.equal(expected);
      }),
    );
  });

  it('are compared on full days after the one on which metrics began', () => {
    const [a, b, c] = [TODAY - 3, TODAY - 2, TODAY - 1];
    expect(marks({ [a]: 5, [b]: 500, [c]: 600, [TODAY]: 9 }, { [a]: 4, [b]: 500, [c]: 1, [TODAY]: 9 })).to.equal('10');
    expect(marks({ [b]: 500, [c]: 600 }, { [a]: 4 }), 'no metrics since').to.equal('00');
    expect(marks({ [a]: 4 }, { [a]: 4 }), 'neither has tokens').to.equal(null);
    expect(marks({ [c]: 4 }, { [a]: 4, [c]: 4 })).to.equal('-1');
    expect(marks({}, { [a]: 4, [c]: 4 }), 'no logs').to.equal('-0');
    expect(marks({ [c]: 4 }, { [c]: 4, [TODAY]: 4 }), 'began yesterday').to.equal(null);
    expect(marks({ [c]: 4 }, {}), 'never any').to.equal(null);
  });

  it('are compared ten minutes after the end of a day, and for 30 days', () => {
    const all = Object.fromEntries(Array.from({ length: 40 }, (_, ago) => [TODAY - ago, 500]));
    const midnight = TODAY * DAY_MS;
    expect(marks(all, all)).to.equal('1'.repeat(30));
    const days = { [TODAY - 3]: 4, [TODAY - 2]: 4, [TODAY - 1]: 5 };
    expect(marks(days, days, midnight + 599_000)).to.equal('1');
    expect(marks(days, days, midnight + 600_000)).to.equal('11');
  });

  it('are compared for each platform that has metrics', () => {
    const days = { [TODAY - 2]: 4, [TODAY - 1]: 5 };
    const compared = compareDays(logsOf(days), metricsOf(days, 'codex'), NOON);
    expect([...compared.keys()]).to.deep.equal(['codex']);
    expect(compared.get('codex')!.map(({ mark }) => mark)).to.deep.equal(['0']);
  });
});
