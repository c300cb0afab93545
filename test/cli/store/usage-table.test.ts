import { expect } from 'chai';
import * as fc from 'fast-check';
import { hashKeys, UsageTable } from '../../../cli/src/store/usage-table.ts';
import { COUNT_FIELDS, type Counts } from '../../../engine/contract/signing/index.ts';

/** One record of a usage. Few keys, so that records often share them. */
interface Telling {
  readonly keys: readonly string[];
  readonly counts: Counts;
  readonly time: number;
  readonly session: string;
}

const count = fc.nat({ max: 1_000_000 });
const telling: fc.Arbitrary<Telling> = fc.record({
  keys: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'), { minLength: 1, maxLength: 3 }),
  counts: fc.record({ input: count, output: count, cache_read: count, cache_write: count }),
  time: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 4_000_000_000 })),
  session: fc.constantFrom('s1', 's2', 's3'),
});
const tellings = fc.array(telling, { maxLength: 30 });

function tableOf(list: readonly Telling[]): UsageTable {
  const table = new UsageTable();
  for (const { keys, counts, time, session } of list) {
    const origin = table.origins.number({ model: 'm', project: null, session });
    table.add({ keys: hashKeys('any', keys), request: 0, counts, time, file: 0, platform: 0, origin });
  }
  return table;
}

interface Sum {
  readonly counts: Counts;
  readonly usages: number;
  readonly times: readonly number[];
  /** Times, each with the session that it is of. */
  readonly sessions: readonly string[];
}

function sumOf(table: UsageTable): Sum {
  const counts = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
  const times: number[] = [];
  const sessions: string[] = [];
  table.forEach((usage) => {
    for (const field of COUNT_FIELDS) counts[field] += usage.counts[field];
    times.push(usage.time);
    sessions.push(`${usage.time} ${table.origins.list[usage.origin]!.session}`);
  });
  return { counts, usages: times.length, times: times.sort((one, other) => one - other), sessions: sessions.sort() };
}

/** The naive model: records that share a key, directly or transitively, are one usage. Its session is that of the earliest. */
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
  const sessions = groups.map((group, index) => {
    const earliest = group.filter(({ time }) => time === times[index]).map(({ session }) => session);
    return `${times[index]} ${earliest.sort()[0]}`;
  });
  return {
    counts,
    usages: groups.length,
    times: times.toSorted((one, other) => one - other),
    sessions: sessions.sort(),
  };
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
        const made = tableOf(before);
        const table = new UsageTable(made.stored(), made.origins);
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
        table.add({
          keys: hashKeys('any', [`msg_${index}`]),
          request: 0,
          counts,
          time: 1,
          file: 0,
          platform: 0,
          origin: 0,
        });
      }
    }
    expect(sumOf(table).usages).to.equal(many);
  });
});
