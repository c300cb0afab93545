import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  type BoardKeys,
  isBefore,
  runToCompletion,
  sortWindow,
  WINDOW_COUNT,
} from '../../../../../engine/ranking/core/board/index.ts';
import { aYield } from './arbitraries.ts';

const sorted = (table: Float64Array, window: number): BoardKeys => runToCompletion(sortWindow(table, window));

/** A table with these Yields in `window` from slot 1 on, and other Yields in the other windows. */
function tableWith(yields: readonly number[], window: number): Float64Array {
  const table = new Float64Array((yields.length + 1) * WINDOW_COUNT).fill(7);
  table.fill(Number.NaN, 0, WINDOW_COUNT);
  for (const [index, y] of yields.entries()) table[(index + 1) * WINDOW_COUNT + window] = y;
  return table;
}

/** The expected result of `sortWindow`, by `Array.prototype.sort` and `isBefore`. */
function sortedByDefinition(yields: readonly number[]): BoardKeys {
  const entries = yields.map((y, index) => ({ y: y === 0 ? 0 : y, operator: index + 1 }));
  const ranked = entries.filter(({ y }) => !Number.isNaN(y));
  ranked.sort((a, b) => (isBefore(a.y, a.operator, b.y, b.operator) ? -1 : 1));
  return {
    yields: Float64Array.from(ranked, ({ y }) => y),
    operators: Uint32Array.from(ranked, ({ operator }) => operator),
  };
}

describe('sortWindow', () => {
  const lengths = { few: { maxLength: 256 }, many: { minLength: 300, maxLength: 900, size: 'max' } } as const;
  const window = fc.integer({ min: 0, max: WINDOW_COUNT - 1 });
  const entry = fc.oneof({ weight: 6, arbitrary: aYield }, { weight: 1, arbitrary: fc.constantFrom(Number.NaN, -0) });

  for (const [name, length] of Object.entries(lengths)) {
    it(`sorts ${name} entries into board order and omits the unranked`, () => {
      fc.assert(
        fc.property(fc.array(entry, length), window, (yields, index) => {
          expect(sorted(tableWith(yields, index), index)).to.deep.equal(sortedByDefinition(yields));
        }),
        { numRuns: 150 },
      );
    });
  }

  it('sorts by every bit: each power of two in the range of doubles, and its neighbours', () => {
    const yields: number[] = [];
    for (let exponent = -1074; exponent < 1024; exponent++) {
      const power = 2 ** exponent;
      yields.push(power, power * (1 + Number.EPSILON), power * 1.5);
    }
    expect(sorted(tableWith(yields, 0), 0)).to.deep.equal(sortedByDefinition(yields));
  });

  it('sorts by the low word among Yields with the same high word', () => {
    for (const length of [2, 16, 17, 256, 257, 900]) {
      const yields = Array.from({ length }, (_, index) => 3 + ((index * 7_919) % length) * Number.EPSILON * 2);
      const others = Array.from({ length: 300 }, (_, index) => index * 1.25);
      const mixed = [...others.slice(0, 150), ...yields, ...others.slice(150), ...yields.slice(0, length / 2)];
      expect(sorted(tableWith(mixed, 0), 0)).to.deep.equal(sortedByDefinition(mixed));
    }
  });

  it('sorts long runs with the same high word in as many passes as their low words need', () => {
    // Low words that differ in the lowest digit of 11 bits, in the lowest two, and in all three.
    for (const [digits, stride] of [1, 4_001, 4_000_003].entries()) {
      const max = 899 * stride;
      expect(Math.floor(Math.log2(max) / 11), `digits above the lowest of ${max}`).to.equal(digits);
      const run = Array.from({ length: 900 }, (_, index) => 3 + ((index * 7_919) % 900) * stride * 2 * Number.EPSILON);
      const yields = [...run, 2, 4, ...run.slice(0, 300)];
      expect(new Set(run).size, 'different Yields').to.equal(900);
      expect(sorted(tableWith(yields, 0), 0)).to.deep.equal(sortedByDefinition(yields));
    }
  });

  it('keeps a thousand ties in the order of their operators', () => {
    const yields = Array.from({ length: 1_000 }, (_, index) => (index % 3 === 0 ? 2 : 1));
    expect(sorted(tableWith(yields, 3), 3)).to.deep.equal(sortedByDefinition(yields));
    const equal = sorted(
      tableWith(
        Array.from({ length: 1_000 }, () => 5),
        1,
      ),
      1,
    );
    expect([...equal.operators]).to.deep.equal(Array.from({ length: 1_000 }, (_, index) => index + 1));
  });

  it('does not modify the table', () => {
    const table = tableWith([3, 1, 2], 0);
    const copy = table.slice();
    sorted(table, 0);
    expect(table).to.deep.equal(copy);
  });

  it('has the same result when the table changes after the first cooperative step', () => {
    const yields = Array.from({ length: 2_000 }, (_, index) => ((index * 7_919) % 1_009) / 7);
    const table = tableWith(yields, 2);
    const steps = sortWindow(table, 2);
    let taken = 0;
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) {
        expect(step.value).to.deep.equal(sortedByDefinition(yields));
        break;
      }
      taken++;
      table.fill(1);
    }
    expect(taken, 'steps').to.be.greaterThan(3);
  });
});
