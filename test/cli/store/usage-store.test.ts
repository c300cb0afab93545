import { join } from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { type Bucket, usageByPlatform } from '../../../cli/src/store/buckets.ts';
import { COPY, hashKeys, WHOLE_MESSAGE } from '../../../cli/src/store/usage.ts';
import type { UsageStore } from '../../../cli/src/store/usage-store.ts';
import { COUNT_FIELDS, type Counts } from '../../../engine/contract/signing/index.ts';
import { emptyStore, fileEntry, useStore } from '../support/stores.ts';
import { useFolder } from '../support/temporary-folder.ts';

const PLATFORMS = ['claude-code', 'codex'];
const FILES = [0, 1, 2, 3].map((file) => ({ path: `/logs/${file}`, platform: PLATFORMS[file % PLATFORMS.length]! }));

/** One record of a usage. Few keys, so that records often share them. */
interface UsageRecord {
  readonly keys: readonly string[];
  readonly request: number;
  readonly counts: Counts;
  readonly file: number;
  readonly time: number;
  readonly session: string;
  /** Whether the store writes what it has after this record. */
  readonly isLast: boolean;
}

const count = fc.oneof(fc.constantFrom(0, 1), fc.nat({ max: 1_000_000 }), fc.constant(2 ** 45));
const usageRecord: fc.Arbitrary<UsageRecord> = fc.record({
  keys: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'), { minLength: 1, maxLength: 3 }),
  request: fc.constantFrom(WHOLE_MESSAGE, COPY, 7, 8),
  counts: fc.record({ input: count, output: count, cache_read: count, cache_write: count }),
  file: fc.nat({ max: FILES.length - 1 }),
  time: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 9_000 })),
  session: fc.constantFrom('s1', 's2', 's3'),
  isLast: fc.boolean(),
});
const recordLists = fc.array(usageRecord, { maxLength: 30 });

function addAll(store: UsageStore, list: readonly UsageRecord[]): void {
  for (const { keys, file, session, isLast, ...record } of list) {
    const { path, platform } = FILES[file]!;
    const origin = { model: 'm', project: null, session };
    store.add([{ ...record, keys: hashKeys(platform, keys), origin }], store.enter(fileEntry(path, platform)));
    if (isLast) store.buckets();
  }
}

/** The usage of a file, a session and a quarter of an hour. */
interface Summed extends Counts {
  readonly file: string;
  readonly session: string | null;
  readonly time: number;
  readonly messages: number;
  readonly placeholders: number;
}

function summedOf(buckets: readonly Bucket[]): readonly Summed[] {
  return buckets.map(({ file, origin, ...numbers }) => ({ ...numbers, file: file.path, session: origin.session }));
}

/** The naive model: records of a platform that share a key, directly or transitively, are one usage. */
function naiveUsages(list: readonly UsageRecord[]): readonly Summed[] {
  let groups: UsageRecord[][] = [];
  for (const each of list) {
    const joined = groups.filter((group) =>
      group.some(({ file, keys }) => {
        return platformOf(file) === platformOf(each.file) && keys.some((key) => each.keys.includes(key));
      }),
    );
    const order = new Map(list.map((record, index) => [record, index]));
    const merged = [...joined.flat(), each].sort((one, other) => order.get(one)! - order.get(other)!);
    groups = [...groups.filter((group) => !joined.includes(group)), merged];
  }
  return groups.map(naiveUsage);
}

function naiveUsage(group: readonly UsageRecord[]): Summed {
  const requests = new Map<number, Record<keyof Counts, number>>();
  for (const { request, counts } of group) {
    const known = requests.get(request) ?? { input: 0, output: 0, cache_read: 0, cache_write: 0 };
    for (const field of COUNT_FIELDS) known[field] = Math.max(known[field], counts[field]);
    requests.set(request, known);
  }
  if (requests.size > 1) requests.delete(COPY);
  const whole = requests.get(WHOLE_MESSAGE);
  requests.delete(WHOLE_MESSAGE);
  const sum = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
  for (const field of COUNT_FIELDS) {
    for (const counts of requests.values()) sum[field] += counts[field];
    sum[field] = Math.max(sum[field], whole?.[field] ?? 0);
  }
  const time = Math.min(...group.map((each) => each.time));
  const messages = Math.max(1, requests.size);
  const isPlaceholder = sum.input < 2 && sum.output + sum.cache_read + sum.cache_write > 0;
  return {
    ...sum,
    file: FILES[group.at(-1)!.file]!.path,
    session: group.flatMap((each) => (each.time === time ? each.session : [])).sort()[0]!,
    time: time - (time % 900),
    messages,
    placeholders: isPlaceholder ? messages : 0,
  };
}

function platformOf(file: number): string {
  return FILES[file]!.platform;
}

/** Sums by file, session and time; `files` false: by session and time. */
function sumUp(list: readonly Summed[], files = true): object {
  const sums: Record<string, Record<string, number>> = {};
  for (const { file, session, time, ...numbers } of list) {
    const sum = (sums[`${files ? file : ''} ${session} ${time}`] ??= {});
    for (const [name, number] of Object.entries(numbers)) sum[name] = (sum[name] ?? 0) + number;
  }
  return sums;
}

async function stored(list: readonly UsageRecord[]): Promise<readonly Summed[]> {
  const store = await emptyStore();
  addAll(store, list);
  const summed = summedOf(store.buckets());
  store.close();
  return summed;
}

describe('the usage store', () => {
  const folder = useFolder();
  it('counts each usage once, as the naive model does, whatever is written in between', async () => {
    await fc.assert(
      fc.asyncProperty(recordLists, async (list) => {
        expect(sumUp(await stored(list))).to.deep.equal(sumUp(naiveUsages(list)));
      }),
    );
  });

  it('counts the same in any order, and when records are added again', async () => {
    await fc.assert(
      fc.asyncProperty(recordLists, fc.infiniteStream(fc.nat()), async (list, order) => {
        const shuffled = list
          .map((each) => ({ each, at: order.next().value! }))
          .sort((one, other) => one.at - other.at)
          .map(({ each }) => each);
        const expected = sumUp(naiveUsages(list), false);
        expect(sumUp(await stored([...shuffled, ...list]), false)).to.deep.equal(expected);
      }),
    );
  });

  it('survives closing and opening after any record', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(recordLists, async (list) => {
        const configDir = join(folder(), `${(run += 1)}`);
        for (let from = 0; from < list.length; ) {
          const until = list.findIndex(({ isLast }, index) => isLast && index >= from);
          const part = list.slice(from, until < 0 ? list.length : until + 1);
          from += part.length;
          await useStore(configDir, (store) => addAll(store, part));
        }
        const buckets = await useStore(configDir, (store) => store.buckets());
        expect(sumUp(summedOf(buckets))).to.deep.equal(sumUp(naiveUsages(list)));
        const usage = usageByPlatform(buckets, new Set(buckets.map(({ file }) => file.id)));
        for (const platform of PLATFORMS) {
          const own = naiveUsages(list.filter(({ file }) => platformOf(file) === platform));
          expect(usage.get(platform)?.messages ?? 0).to.equal(own.reduce((sum, { messages }) => sum + messages, 0));
        }
      }),
      { numRuns: 25 },
    );
  });

  it('forgets the usage of files, so that they are counted again', async () => {
    await fc.assert(
      fc.asyncProperty(recordLists, fc.nat({ max: FILES.length - 1 }), async (list, gone) => {
        const store = await emptyStore();
        addAll(store, list);
        const kept = summedOf(store.buckets()).filter(({ file }) => file !== FILES[gone]!.path);
        store.forget([...store.files.values()].filter(({ path }) => path === FILES[gone]!.path));
        expect(sumUp(summedOf(store.buckets()))).to.deep.equal(sumUp(kept));
        store.forget('all');
        expect(store.buckets()).to.deep.equal([]);
        addAll(store, list);
        expect(sumUp(summedOf(store.buckets()))).to.deep.equal(sumUp(naiveUsages(list)));
        store.close();
      }),
      { numRuns: 50 },
    );
  });

  it('keeps many usages apart, and adds up counts beyond the integers of SQLite', async () => {
    const store = await emptyStore();
    const many = 20_000;
    const counts = { input: 2 ** 53 - 1, output: 2, cache_read: 3, cache_write: 4 };
    const file = store.enter(fileEntry('/logs/0', 'pi'));
    for (let round = 0; round < 2; round += 1) {
      store.add(
        Array.from({ length: many }, (_, index) => {
          return { keys: hashKeys('pi', [`msg_${index}`]), request: WHOLE_MESSAGE, counts, time: 1 };
        }),
        file,
      );
      store.saveWhenDue();
    }
    const [bucket, ...others] = store.buckets();
    expect(others).to.deep.equal([]);
    expect(bucket).to.include({ messages: many, output: 2 * many });
    expect(bucket!.input / ((2 ** 53 - 1) * many)).to.be.closeTo(1, 1e-9);
    store.close();
  });
});
