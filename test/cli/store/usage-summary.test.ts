import { expect } from 'chai';
import * as fc from 'fast-check';
import { joinStores } from '../../../cli/src/store/open-store.ts';
import type { TimeBuckets } from '../../../cli/src/store/time-buckets.ts';
import { usagePath, writeUsage } from '../../../cli/src/store/usage-file.ts';
import { readSummary } from '../../../cli/src/store/usage-head.ts';
import { emptyStore, skipCounts, type UsageStore } from '../../../cli/src/store/usage-store.ts';
import { addUpUsage } from '../../../cli/src/store/usage-summary.ts';
import { hashKeys } from '../../../cli/src/store/usage-table.ts';
import type { Counts } from '../../../engine/contract/signing/index.ts';
import { useFolder } from '../support/temporary-folder.ts';

const PLATFORMS = ['claude-code', 'codex', 'pi'];
const FILES = 6;

/** One record of a usage. Few keys, so that records often share them. */
interface Telling {
  readonly keys: readonly string[];
  readonly request: number;
  readonly counts: Counts;
  /** Its file, which is of the platform that its remainder names. */
  readonly file: number;
  readonly time: number;
  readonly session: string;
}

const count = fc.oneof(fc.constantFrom(0, 1), fc.nat({ max: 1_000_000 }));
const telling: fc.Arbitrary<Telling> = fc.record({
  keys: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'), { minLength: 1, maxLength: 3 }),
  request: fc.nat({ max: 3 }),
  counts: fc.record({ input: count, output: count, cache_read: count, cache_write: count }),
  file: fc.nat({ max: FILES - 1 }),
  time: fc.integer({ min: 1, max: 9_000 }),
  session: fc.constantFrom('s1', 's2'),
});
const tellings = fc.array(telling, { maxLength: 40 });

/** A store of these records, with its files and platforms in a different order. */
function storeOf(list: readonly Telling[], order: readonly number[]): UsageStore {
  const store = emptyStore(0);
  const platforms = [...new Set(order.map(platformOf))];
  store.platforms.push(...platforms);
  for (const file of order) {
    const blank = { version: 1, fingerprint: '', bytes: 1, records: 1, skipped: skipCounts((index) => index % 2) };
    store.files.push({ path: `/logs/${file}`, platform: platformOf(file), ...blank });
  }
  for (const { keys, request, counts, file, time, session } of list) {
    const platform = platformOf(file);
    store.table.add({
      keys: hashKeys(platform, keys),
      request,
      counts,
      time,
      file: order.indexOf(file),
      platform: platforms.indexOf(platform),
      origin: store.table.origins.number({ model: null, project: null, session }),
    });
  }
  return store;
}

function platformOf(file: number): string {
  return PLATFORMS[file % PLATFORMS.length]!;
}

/** The naive model: the table summed usage by usage. */
function naiveSum({ table, platforms, files }: UsageStore, present: ReadonlySet<number>): ReadonlyMap<string, object> {
  const sums = new Map(
    platforms.map((platform) => [
      platform,
      {
        input: 0,
        output: 0,
        cache_read: 0,
        cache_write: 0,
        messages: 0,
        kept: 0,
        imported: 0,
        placeholders: 0,
        largest: { path: '', tokens: -1 },
      },
    ]),
  );
  const tokens = files.map(() => 0);
  table.forEach(({ platform, counts, messages, file }) => {
    const sum = sums.get(platforms[platform]!)!;
    tokens[file]! += counts.input + counts.output + counts.cache_read + counts.cache_write;
    sum.input += counts.input;
    sum.output += counts.output;
    sum.cache_read += counts.cache_read;
    sum.cache_write += counts.cache_write;
    sum.messages += messages;
    if (!present.has(file)) sum.kept += messages;
    if (counts.input < 2 && counts.output + counts.cache_read + counts.cache_write > 0) sum.placeholders += messages;
  });
  for (const [number, { path, platform }] of files.entries()) {
    const sum = sums.get(platform)!;
    if (tokens[number]! > sum.largest.tokens) sum.largest = { path, tokens: tokens[number]! };
  }
  return sums;
}

/** The stored buckets by quarter of an hour, platform and session. */
function sumsOf({ columns, platforms, origins }: TimeBuckets): object {
  const sums = Array.from(columns.times, (time, row) => {
    const key = `${time} ${platforms[columns.platforms[row]!]} ${origins[columns.origins[row]!]!.session}`;
    return [key, [...columns.counts.subarray(row * 4, row * 4 + 4), columns.messages[row]]] as const;
  });
  expect(new Set(sums.map(([key]) => key)).size).to.equal(sums.length);
  return Object.fromEntries(sums);
}

/** The naive model: each usage added to the sums of its quarter of an hour, platform and session. */
function naiveBuckets({ table, platforms }: UsageStore): object {
  const sums: Record<string, number[]> = {};
  table.forEach(({ platform, time, counts, messages, origin }) => {
    const key = `${Math.floor(time / 900)} ${platforms[platform]} ${table.origins.list[origin]!.session}`;
    const { input, output, cache_read, cache_write } = counts;
    const more = [input, output, cache_read, cache_write, messages];
    sums[key] = more.map((each, index) => each + (sums[key]?.[index] ?? 0));
  });
  return sums;
}

describe('the sums of files in the head of the store', () => {
  const folder = useFolder();

  it('equal the sums of the table, after any merges and deletions of files', async () => {
    const order = fc.shuffledSubarray(
      Array.from({ length: FILES }, (_, file) => file),
      { minLength: FILES },
    );
    const present = fc.uniqueArray(fc.nat({ max: FILES - 1 }));
    await fc.assert(
      fc.asyncProperty(tellings, tellings, order, order, present, async (here, there, one, other, left) => {
        const store = joinStores(storeOf(here, one), storeOf(there, other));
        await writeUsage(folder(), store);
        const summary = readSummary(usagePath(folder()))!;
        expect(summary.files).to.deep.equal(store.files);
        const numbers = new Set(left);
        const added = [...addUpUsage(summary, numbers)].map(([platform, { totals, ...rest }]) => {
          return [platform, { ...totals, ...rest }] as const;
        });
        expect(new Map(added)).to.deep.equal(naiveSum(store, numbers));
        expect(sumsOf(summary.buckets)).to.deep.equal(naiveBuckets(store));
      }),
      { numRuns: 60 },
    );
  });
});
