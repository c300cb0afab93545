import type { mongo } from 'mongoose';
import { WINDOWS } from '../../contract/windows.ts';
import { type Connection, databaseOf, type Indexes } from '../../mongo/index.ts';
import { createArchiveLines } from './archive-lines.ts';
import { createBoardManifest } from './board-manifest.ts';
import { createBoardParts } from './board-parts.ts';
import { createCatchUpLog } from './catch-up-log.ts';
import { createCodenameHolds, type ErasedHoldId } from './codename-holds.ts';
import { createDirtySets } from './dirty-sets.ts';
import { createHeldRows } from './held-rows.ts';
import { createLeases } from './leases.ts';
import { createOperatorStore } from './operators.ts';
import { createRerankParts, createRerankRuns } from './reranks.ts';
import { createRollups } from './rollups.ts';
import { createSeriesSketches } from './series-sketches.ts';
import { createSnapshotLog } from './snapshots.ts';
import { createVerdictStore } from './verdicts.ts';

/** The indexes of the ranking engine's collections, besides those of `_id`. */
export const RANKING_INDEXES: Indexes = {
  operators: [
    { key: { codename: 1 }, unique: true, sparse: true },
    // The planner uses a partial index only for queries that repeat its filter exactly.
    { key: { next_due: 1 }, name: 'due', partialFilterExpression: { next_due: { $gt: 0 } } },
    { key: { amended_at: 1 } },
    { key: { listed: 1 } },
    { key: { off_boards: 1 }, sparse: true },
  ],
  snapshots: [{ key: { batch: 1 } }],
  board_pages: [{ key: { base: 1 } }],
  archive_lines: [{ key: { until: 1 } }],
  held_rows: [
    { key: { operator: 1, methodology: 1 } },
    ...WINDOWS.map((_, window) => ({ key: { methodology: 1, [`yields.${window}`]: -1 } as const })),
  ],
  series_sketches: [
    { key: { prints: 1 } },
    { key: { rivals: 1 }, sparse: true },
    { key: { matched: 1, _id: 1 }, name: 'matched', partialFilterExpression: { matched: true } },
  ],
};

export type Stores = ReturnType<typeof openStores>;

/** All stores of the ranking engine, on one connection. */
export function openStores(connection: Connection, erasedHoldId: ErasedHoldId = withoutSecret) {
  const db = databaseOf(connection);
  return {
    operators: createOperatorStore(db),
    log: createSnapshotLog(db.collection('snapshots')),
    rollups: createRollups(db),
    verdicts: createVerdictStore(db),
    dirtySets: createDirtySets(db),
    board: createBoardManifest(db),
    parts: createBoardParts(db),
    archiveLines: createArchiveLines(db),
    seriesSketches: createSeriesSketches(db),
    heldRows: createHeldRows(db),
    codenameHolds: createCodenameHolds(connection, erasedHoldId),
    leases: createLeases(db),
    progress: createProgress(db),
    catchUpLog: createCatchUpLog(db),
    rerankRuns: createRerankRuns(db),
    rerankParts: createRerankParts(db),
  };
}

function withoutSecret(): Promise<never> {
  return Promise.reject(new Error('codenames cannot be reserved without the secrets of this installation'));
}

/** Small values that jobs keep between runs, such as scan positions. */
interface ProgressDocument {
  _id: string;
  value: string;
}

/** Scan positions of jobs. Losing one costs a longer scan and nothing else. */
function createProgress(db: mongo.Db) {
  const progress = db.collection<ProgressDocument>('progress');
  return {
    async read(name: string): Promise<string | null> {
      return (await progress.findOne({ _id: name }))?.value ?? null;
    },

    async write(name: string, value: string): Promise<void> {
      await progress.updateOne({ _id: name }, { $set: { value } }, { upsert: true });
    },

    /** The time (milliseconds since the epoch) before which all batches are decided, but for those of writers that were paused long. */
    decidedUntil: async (): Promise<number> => Number((await progress.findOne({ _id: 'reconcile.from' }))?.value ?? 0),
  };
}
