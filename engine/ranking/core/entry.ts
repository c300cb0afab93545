import type * as z from 'zod';
import type { LeaderboardEntry } from '../../contract/index.ts';
import { WINDOWS } from '../../contract/windows.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { type RowIntegrity, rowIntegrity, type WitnessedRecord } from './row-integrity.ts';
import { type Score, tierOf } from './score.ts';
import { scoreRecord, type WindowResult } from './score-record.ts';

/** The record that an entry is made of. */
export interface EntryRecord extends WitnessedRecord {
  readonly codename: string;
  readonly displayName: string | null;
  /** Of each window (WINDOWS). */
  readonly platforms: readonly (string | null)[];
}

/** `global_rank` and `held` are of lists and leagues only. */
type Declared = Omit<Required<z.output<typeof LeaderboardEntry>>, 'global_rank' | 'held'>;

/** The members of an entry that depend on the other operators of the board. */
type Place = 'rank' | 'percentile' | 'movement_24h' | 'movement_7d';

/** An entry without its place. */
export type UnplacedEntry = Readonly<ReturnType<typeof entryOf>>;

/** Every member of the contract's entry that the record alone decides: one more is added there and here. */
function entryOf(record: EntryRecord, window: number, score: Score, methodology: Methodology, reliance: RowIntegrity) {
  return {
    codename: record.codename,
    display_name: record.displayName,
    platform: record.platforms[window] ?? '',
    class_tier: tierOf(score.yield_, methodology),
    ...score,
    ...reliance,
  } satisfies Omit<Declared, Place>;
}

/** The members that an operator without a rank lacks. */
export const UNRANKED: Readonly<
  Record<Exclude<keyof Declared, 'codename' | 'display_name' | 'platform' | keyof RowIntegrity>, null>
> = {
  yield_: null,
  leverage: null,
  velocity: null,
  class_tier: null,
  rank: null,
  percentile: null,
  movement_24h: null,
  movement_7d: null,
};

/** A window of a record: its entry, null where it is not numbered, and how far its counts can be relied on. */
export interface WindowEntry {
  readonly entry: UnplacedEntry | null;
  /** The entry that it would be, where it is held. */
  readonly held: UnplacedEntry | null;
  readonly result: WindowResult;
  readonly reliance: RowIntegrity;
}

/** The entries of a record in each window (WINDOWS). */
export function entriesOf(record: EntryRecord, methodology: Methodology): WindowEntry[] {
  const results = scoreRecord(record, methodology);
  const reliance = rowIntegrity(record, results, methodology);
  return WINDOWS.map((_, window) => {
    const result = results[window]!;
    const { score, row } = result;
    const made = score && entryOf(record, window, score, methodology, reliance[window]!);
    const [entry, held] = [row === 'settled' ? made : null, row === 'held' ? made : null];
    return { entry, held, result, reliance: reliance[window]! };
  });
}
