import { expect } from 'chai';
import { WINDOWS } from '../../../../engine/contract/windows.ts';
import { bitOf, maskOf, RULES, statisticAt, statisticsOf, WINDOW_NUMBERS } from '../../../../engine/integrity/index.ts';
import { rowIntegrity } from '../../../../engine/ranking/core/row-integrity.ts';
import { FIRST_METHODOLOGY, METHODOLOGIES } from '../../../../engine/ranking/methodologies/index.ts';

const ALL_TIME = WINDOWS.indexOf('all_time');
const METHODOLOGY = METHODOLOGIES.get(FIRST_METHODOLOGY)!;

/** The level of every row of an operator with these statistics; `mask`: the rules that the last window crosses. */
function levelOf(activeDays: number, spread: number, mask = 0): string {
  const totals = new Float64Array(WINDOWS.length * WINDOW_NUMBERS);
  const statistics = statisticsOf(totals);
  statistics[statisticAt(ALL_TIME, 'activeDays')] = activeDays;
  statistics[statisticAt(ALL_TIME, 'spread')] = spread;
  const results = WINDOWS.map((_, window) => ({ score: null, mask: window === WINDOWS.length - 1 ? mask : 0 }));
  const rows = rowIntegrity({ totals, assertions: { findings: 0, cleared: 0 } }, results, METHODOLOGY);
  const levels = new Set(rows.map(({ integrity }) => integrity.level));
  return [...levels].join(' and ');
}

describe('the level of a row', () => {
  it('is consistent from 30 active days on, with a standard error of at most a half', () => {
    expect(levelOf(30, 0.5)).to.equal('consistent');
    expect(levelOf(30, 0)).to.equal('consistent');
    for (const [activeDays, spread] of [
      [29, 0.5],
      [30, 0.51],
      [30, -1],
      [0, 0],
    ] as const) {
      expect(levelOf(activeDays, spread), `${activeDays} days, ${spread}`).to.equal('self_reported');
    }
  });

  it('is not consistent where a rule flags or excludes any window; a note changes nothing', () => {
    for (const rule of RULES) {
      const expected = rule.severity === 'note' ? 'consistent' : 'self_reported';
      expect(levelOf(100, 0.1, bitOf(rule)), rule.name).to.equal(expected);
    }
    expect(
      levelOf(
        100,
        0.1,
        maskOf(() => true),
      ),
    ).to.equal('self_reported');
  });
});
