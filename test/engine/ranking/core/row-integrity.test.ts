import { expect } from 'chai';
import { HOUR_MS } from '../../../../config/units.ts';
import { countsAt } from '../../../../engine/contract/signing/index.ts';
import { WINDOWS } from '../../../../engine/contract/windows.ts';
import { bitOf, NO_ASSERTIONS, PLACE_OF, RULES, WINDOW_NUMBERS } from '../../../../engine/integrity/index.ts';
import { applySamples, emptyState, type UsageSample } from '../../../../engine/ranking/core/operator-state/index.ts';
import { receiptKey } from '../../../../engine/ranking/core/operator-state/receipts.ts';
import { rowIntegrity } from '../../../../engine/ranking/core/row-integrity.ts';
import { scoreRecord } from '../../../../engine/ranking/core/score-record.ts';
import { METHODOLOGIES } from '../../../../engine/ranking/methodologies/index.ts';
import { runsOf } from '../../../support/long-run.ts';
import { runSeed, type SeededRandom, seededRandom } from '../../../support/seeded-random.ts';

const METHODOLOGY = METHODOLOGIES.get(4)!;
const UNBOUNDED = METHODOLOGIES.get(1)!;
const HISTORIES = runsOf(400, 8_000);
const NOON = 500_004;

/** The rows of an operator with so many witnessed days and this spread; `mask`: the rules that the last window crosses. */
function rowsOf(ever: number, spread = 0.1, mask = 0, recent = Math.min(ever, 45)) {
  const totals = new Float64Array(WINDOWS.length * WINDOW_NUMBERS);
  totals[PLACE_OF.spread] = spread;
  const results = WINDOWS.map((_, window) => {
    const need = { days: 0, acceptance: false };
    return { score: null, row: 'settled' as const, mask: window === WINDOWS.length - 1 ? mask : 0, need, vouching: 0 };
  });
  const witnessed = { recent, ever };
  return rowIntegrity({ totals, assertions: NO_ASSERTIONS, witnessed, open: false }, results, METHODOLOGY);
}
const levelsOf = (...of: Parameters<typeof rowsOf>) => [
  ...new Set(rowsOf(...of).map(({ integrity }) => integrity.level)),
];

describe('how far a row can be relied on', () => {
  it('is consistent from 30 witnessed days on, with a standard error of at most a half and without any rule', () => {
    for (const spread of [0, 0.5]) expect(levelsOf(30, spread)).to.deep.equal(['consistent']);
    for (const [days, spread] of [
      [29, 0.5],
      [30, 0.51],
      [30, -1],
      [0, 0],
    ] as const)
      expect(levelsOf(days, spread), `${days} days, ${spread}`).to.deep.equal(['self_reported']);
    for (const rule of RULES) expect(levelsOf(100, 0.1, bitOf(rule)), rule.name).to.deep.equal(['self_reported']);
  });

  it('is provisional with fewer than five witnessed days, whatever dates are stated, and shows those of the last 45', () => {
    const shown = [0, 4, 5, 60].map((ever) => rowsOf(ever)[0]!);
    expect(shown.map(({ provisional }) => provisional)).to.deep.equal([true, true, false, false]);
    expect(shown.map((row) => row.witnessed_days)).to.deep.equal([0, 4, 5, 45]);
    expect(rowsOf(60, 0.1, 0, 0)[0], 'after a pause').to.include({ provisional: false, witnessed_days: 0 });
  });
});

const normal = (random: SeededRandom): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());

/** Whether the range that a history of some days states covers its long-run Yield. */
function isCovered(random: SeededRandom, days: number): boolean {
  const input = 2_000 + 10_000 * random.next();
  const [velocity, leverage] = [0.5 + 5 * random.next(), 5 + 100 * random.next()];
  // Days differ in volume, velocity and leverage; of lognormal factors the mean is exp(s² / 2).
  const [ofVolume, ofVelocity, ofLeverage] = [0.6 * random.next(), 0.5 * random.next(), 0.6 * random.next()];
  const yield_ = velocity * leverage * Math.exp((ofVelocity ** 2 + ofLeverage ** 2) / 2);
  let sums = [0, 0, 0, 0];
  const samples = Array.from({ length: days }, (_, day): UsageSample => {
    const used = input * Math.exp(ofVolume * normal(random));
    const output = used * velocity * Math.exp(ofVelocity * normal(random));
    const reads = used * leverage * Math.exp(ofLeverage * normal(random));
    sums = [sums[0]! + used, sums[1]! + output, sums[2]! + reads, 0];
    const hour = NOON - 24 * (days - day - 1);
    const receipt = receiptKey(hour * HOUR_MS, hour);
    return { ledger: 'ledger-one', platform: 'codex', epoch: 0, hour, counts: countsAt(sums), receipt };
  });
  const { totals, witnessed } = applySamples(emptyState(NOON), samples, NOON).operatorState;
  const record = { totals, assertions: NO_ASSERTIONS, witnessed, open: false };
  const [low, high] = rowIntegrity(record, scoreRecord(record, UNBOUNDED), UNBOUNDED)[0]!.yield_range!;
  return low <= yield_ && yield_ <= high;
}

describe('the range of a Yield', () => {
  const SEED = runSeed();

  // The short form allows for the chance of 400 histories: three standard errors.
  for (const [least, most, from, to] of [
    [3, 9, runsOf(0.87, 0.9), runsOf(1, 0.99)],
    [10, 60, runsOf(0.9, 0.93), runsOf(0.99, 0.97)],
  ] as const) {
    it(`covers the long-run Yield of histories of ${least} to ${most} days as stated (seed ${SEED})`, () => {
      const random = seededRandom(SEED + least);
      let covered = 0;
      for (let history = 0; history < HISTORIES; history++)
        if (isCovered(random, random.integer(least, most))) covered++;
      process.stdout.write(`\n  ${((100 * covered) / HISTORIES).toFixed(1)} % of ${HISTORIES}\n\n`);
      expect(covered / HISTORIES).to.be.within(from, to);
    });
  }
});
