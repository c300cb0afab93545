import { expect } from 'chai';
import { boardAgo, keptHistory } from '../../../../../engine/ranking/core/board/history.ts';

const HOURS_PER_DAY = 24;
/** An hour in the middle of a day. */
const HOUR = 500 * HOURS_PER_DAY + 12;
const HISTORY = Array.from({ length: 120 * HOURS_PER_DAY }, (_, index) => ({
  hour: HOUR - 120 * HOURS_PER_DAY + 1 + index,
}));

describe('kept boards', () => {
  it('are those of 25 hours, and the first of each day for 100 days', () => {
    const hours = keptHistory(HISTORY, HOUR).map(({ hour }) => hour);
    const hourly = Array.from({ length: 25 }, (_, index) => HOUR - 24 + index);
    expect(hours.slice(-25)).to.deep.equal(hourly);
    const daily = Array.from({ length: 99 }, (_, index) => (401 + index) * HOURS_PER_DAY);
    expect(hours.slice(0, -25)).to.deep.equal(daily);
    expect(HOUR - hours[0]!).to.be.below(100 * HOURS_PER_DAY);
  });

  it('include the newest one that is at least a day old, after hours without one', () => {
    const outage = HISTORY.filter(({ hour }) => hour <= HOUR - 30 || hour > HOUR - 20);
    expect(boardAgo(outage, HOUR, HOURS_PER_DAY)?.hour).to.equal(HOUR - 30);
    const collected = keptHistory(outage, HOUR - 1);
    expect(boardAgo(collected, HOUR, HOURS_PER_DAY)?.hour, 'after an earlier collection').to.equal(HOUR - 30);
    const passed = outage.filter(({ hour }) => hour <= HOUR - 30);
    expect(keptHistory(passed, HOUR + 48).at(-1)?.hour).to.equal(HOUR - 30);
  });

  it('include the newest one of a minimum age', () => {
    expect(boardAgo(HISTORY, HOUR, 1)?.hour).to.equal(HOUR - 1);
    expect(boardAgo(HISTORY, HOUR, HOURS_PER_DAY)?.hour).to.equal(HOUR - HOURS_PER_DAY);
    expect(boardAgo(HISTORY, HOUR, HOURS_PER_DAY + 1)?.hour).to.equal(499 * HOURS_PER_DAY);
    expect(boardAgo([{ hour: HOUR }], HOUR, 1)).to.equal(null);
  });
});
