import { bytesOf, toBinary } from './binary.ts';
import type { Collections } from './collections.ts';
import { DURABLE } from './durability.ts';
import { randomId } from './unique-id.ts';

/** Digits of a version in a name: names sort as versions do. */
const VERSION_DIGITS = 12;
/** Entries read by one command. */
const ENTRIES_A_READ = 500;
/** Operators of one entry, at 4 bytes each: a document holds 16 MiB. */
const OPERATORS_AN_ENTRY = 1_000_000;

/** The least name of the entries made by a version or a later one. */
function prefixOf(version: number): string {
  return String(version).padStart(VERSION_DIGITS, '0');
}

function nameFor(version: number): string {
  return `${prefixOf(version)}-${randomId()}`;
}

/**
 * Who was in the change lists that commits took, while somebody needs to know: a re-rank, or whoever rolls one back. An
 * entry is written before the version that took the lists is published, so a version is never there without it. Entries
 * too many do no harm: whoever reads them looks at the operators' records.
 */
export function createCatchUpLog({ catchUpLog }: Collections) {
  async function add(version: number, operators: Uint32Array): Promise<void> {
    for (let from = 0; from < operators.length; from += OPERATORS_AN_ENTRY) {
      const some = operators.subarray(from, from + OPERATORS_AN_ENTRY);
      await catchUpLog.insertOne({ _id: nameFor(version), operators: toBinary(some) }, DURABLE);
    }
  }

  async function idsAfter(version: number): Promise<string[]> {
    const found = catchUpLog.find({ _id: { $gt: prefixOf(version + 1) } }, { projection: { _id: 1 } });
    return (await found.toArray()).map(({ _id }) => _id);
  }

  /** The operators of entries; null when one of them is gone, which means that it was gathered into another. */
  async function operatorsOf(ids: readonly string[]): Promise<Set<number> | null> {
    const operators = new Set<number>();
    for (let first = 0; first < ids.length; first += ENTRIES_A_READ) {
      const some = ids.slice(first, first + ENTRIES_A_READ);
      const found = await catchUpLog.find({ _id: { $in: some } }, { batchSize: some.length + 1 }).toArray();
      if (found.length !== some.length) return null;
      for (const entry of found) for (const operator of numbersOf(bytesOf(entry.operators))) operators.add(operator);
    }
    return operators;
  }

  return {
    /** Notes who is in the lists that the commit of `version` takes. */
    add: (version: number, operators: Iterable<number>) => add(version, Uint32Array.from(operators)),

    /** The operators of entries of versions after `version` that are not among `seen`, which takes the entries in. */
    async unseen(version: number, seen: Set<string>): Promise<Set<number>> {
      for (;;) {
        const ids = (await idsAfter(version)).filter((id) => !seen.has(id));
        const operators = await operatorsOf(ids);
        if (operators === null) continue;
        for (const id of ids) seen.add(id);
        return operators;
      }
    },

    /** Makes one entry of those of versions up to `version`, once there are more than `entries`; says the same as they did. */
    async linger(version: number, entries: number): Promise<boolean> {
      const filter = { _id: { $lt: prefixOf(version + 1) } };
      const ids = (await catchUpLog.find(filter, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);
      if (ids.length <= entries) return false;
      const operators = await operatorsOf(ids);
      if (operators === null) return false;
      await add(version, Uint32Array.from(operators).sort());
      await catchUpLog.deleteMany({ _id: { $in: ids } });
      return true;
    },

    /** Forgets the entries of versions up to `version`. */
    async forget(version: number): Promise<void> {
      await catchUpLog.deleteMany({ _id: { $lt: prefixOf(version + 1) } });
    },
  };
}

function numbersOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(Uint8Array.from(bytes).buffer);
}
