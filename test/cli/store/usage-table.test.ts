import { expect } from 'chai';
import * as fc from 'fast-check';
import { hashKeys, UsageTable } from '../../../cli/src/store/usage-table.ts';
import { COUNT_FIELDS, type Counts } from '../../../engine/contract/signing/index.ts';

/** One record of a usage. Few keys, so that records often share them. */
interface Telling {
  readonly keys: readonly string[];
  readonly counts: Counts;
  readonly time: number;
}

const count = fc.nat({ max: 1_000_000 });
const telling: fc.Arbitrary<Telling> = fc.record({
  keys: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'), { minLength: 1, maxLength: 3 }),
  counts: fc.record({ input: count, output: count, cache_read: count, cache_write: count }),
  time: fc.integer({ min: 1, max: 4_000_000_000 }),
});
const tellings = fc.array(telling, { maxLength: 30 });

function tableOf(list: readonly Telling[]): UsageTable {
  const table = new UsageTable();
  for (const { keys, counts, time } of list) {
    table.add({ keys: hashKeys('any', keys), request: 0, counts, time, file: 0, platform: 0 });
  }
  return table;
}

interface Sum {
  readonly counts: Counts;
  readonly usages: number;
  readonly times: readonly number[];
}

function sumOf(table: UsageTable): Sum {
  const counts = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
  const times: number[] = [];
  table.forEach((usage) => {
    for (const field of COUNT_FIELDS) counts[field] += usage.counts[field];
    times.push(usage.time);
  });
  return { counts, usages: times.length, times: times.sort((one, other) => one - other) };
}

/** The naive model: records that share a key, directly or transitively, are one usage. */
function naiveSum(list: readonly Telling[]): Sum {
  let groups: Telling[][] = [];
  for (const each of list) {
    const joined = groups.filter((group) => group.some(({ keys }) => keys.some((key) => each.keys.includes(key))));
    groups = [...groups.filter((group) => !joined.includes(group)), [each, ...joined.flat()]];
  }
  const counts = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
  for (const group of groups) {
    for (const field of COUNT_FIELDS) counts[field] += Math.max(...group.map((each) => each.counts[field]));
  }
  const times = groups.map((group) => Math.min(...group.map(({ time }) => time)));
  return { counts, usages: groups.length, times: times.sort((one, other) => one - other) };
}

describe('the table of usages', () => {
  it('counts each usage once, with the maximum of its records, in any order', () => {
    fc.assert(
      fc.property(tellings, fc.infiniteStream(fc.nat()), (list, order) => {
        const expected = naiveSum(list);
        expect(sumOf(tableOf(list))).to.deep.equal(expected);
        const shuffled = list
          .map((each) => ({ each, at: order.next().value! }))
          .sort((one, other) => one.at - other.at)
          .map(({ each }) => each);
        expect(sumOf(tableOf([...shuffled, ...list]))).to.deep.equal(expected);
      }),
    );
  });

  it('merges another table as if its records had been added directly', () => {
    fc.assert(
      fc.property(tellings, tellings, (here, there) => {
        const table = tableOf(here);
        const same = { file: (file: number) => file, platform: (platform: number) => platform };
        table.addTable(tableOf(there), same);
        table.addTable(tableOf(here), same);
        expect(sumOf(table)).to.deep.equal(naiveSum([...here, ...there]));
      }),
    );
  });

  it('survives storing and reading', () => {
    fc.assert(
      fc.property(tellings, tellings, (before, after) => {
        const table = new UsageTable(tableOf(before).stored());
        expect(sumOf(table)).to.deep.equal(naiveSum(before));
        table.addTable(tableOf(after), { file: (file) => file, platform: (platform) => platform });
        expect(sumOf(table)).to.deep.equal(naiveSum([...before, ...after]));
      }),
    );
  });

  it('keeps many usages apart', () => {
    const many = 20_000;
    const table = new UsageTable();
    const counts = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
    for (let round = 0; round < 2; round += 1) {
      for (let index = 0; index < many; index += 1) {
        table.add({ keys: hashKeys('any', [`msg_${index}`]), request: 0, counts, time: 1, file: 0, platform: 0 });
      }
    }
    expect(sumOf(table).usages).to.equal(many);
  });
});
