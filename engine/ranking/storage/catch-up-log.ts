import type { mongo } from 'mongoose';
import { DURABLE } from '../../mongo/index.ts';
import { bytesOf, toBinary } from './binary.ts';
import { idsIn, singleBatch } from './find.ts';
import { randomId } from './unique-id.ts';

/** Digits of a version in an id: ids sort by version. */
const VERSION_DIGITS = 12;
/** Entries per read command. */
const ENTRIES_A_READ = 500;
/** Operators per entry, 4 bytes each; a document holds 16 MiB. */
const OPERATORS_AN_ENTRY = 1_000_000;

/** Lower bound for the ids of entries of a version or a later one. */
function prefixOf(version: number): string {
  return String(version).padStart(VERSION_DIGITS, '0');
}

function entryIdFor(version: number): string {
  return `${prefixOf(version)}-${randomId()}`;
}

/** Operators in dirty sets that commits consumed. `_id` begins with the board version of the commit. */
interface CatchUpDocument {
  _id: string;
  /** Uint32, little-endian, packed. */
  operators: mongo.Binary;
}

/**
 * Operators in the dirty sets that commits consumed, recorded while a re-rank or a possible rollback needs them. An entry is
 * written before its version is published, so every published version has its entries. Surplus entries do no harm: readers
 * recompute from the operators' records.
 */
export function createCatchUpLog(db: mongo.Db) {
  const catchUpLog = db.collection<CatchUpDocument>('catch_up_log');

  async function add(version: number, operators: Uint32Array): Promise<void> {
    for (let from = 0; from < operators.length; from += OPERATORS_AN_ENTRY) {
      const some = operators.subarray(from, from + OPERATORS_AN_ENTRY);
      await catchUpLog.insertOne({ _id: entryIdFor(version), operators: toBinary(some) }, DURABLE);
    }
  }

  /** The operators of entries; null when an entry is gone because compaction merged it into another. */
  async function operatorsOf(ids: readonly string[]): Promise<Set<number> | null> {
    const operators = new Set<number>();
    for (let first = 0; first < ids.length; first += ENTRIES_A_READ) {
      const some = ids.slice(first, first + ENTRIES_A_READ);
      const found = await catchUpLog.find({ _id: { $in: some } }, singleBatch(some)).toArray();
      if (found.length !== some.length) return null;
      for (const entry of found) for (const operator of numbersOf(bytesOf(entry.operators))) operators.add(operator);
    }
    return operators;
  }

  return {
    /** Records the operators in the dirty sets that the commit of `version` consumes. */
    add: (version: number, operators: Iterable<number>) => add(version, Uint32Array.from(operators)),

    /** The operators of entries of later versions than `version` whose ids are not in `seen`; adds those ids to `seen`. */
    async unseen(version: number, seen: Set<string>): Promise<Set<number>> {
      for (;;) {
        const later = await idsIn(catchUpLog, { _id: { $gt: prefixOf(version + 1) } });
        const ids = later.filter((id) => !seen.has(id));
        const operators = await operatorsOf(ids);
        if (operators === null) continue;
        for (const id of ids) seen.add(id);
        return operators;
      }
    },

    /** Merges the entries of versions up to `version` into one when there are more than `entries`. Returns whether it did. */
    async compact(version: number, entries: number): Promise<boolean> {
      const ids = await idsIn(catchUpLog, { _id: { $lt: prefixOf(version + 1) } });
      if (ids.length <= entries) return false;
      const operators = await operatorsOf(ids);
      if (operators === null) return false;
      await add(version, Uint32Array.from(operators).sort());
      await catchUpLog.deleteMany({ _id: { $in: ids } });
      return true;
    },

    /** Removes the entries of versions up to `version`. */
    async remove(version: number): Promise<void> {
      await catchUpLog.deleteMany({ _id: { $lt: prefixOf(version + 1) } });
    },
  };
}

function numbersOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(new Uint8Array(bytes).buffer);
}
