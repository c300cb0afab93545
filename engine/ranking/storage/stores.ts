import type { Connection } from 'mongoose';
import { createBoardManifest } from './board-manifest.ts';
import { createBoardParts } from './board-parts.ts';
import { createCatchUpLog } from './catch-up-log.ts';
import { createCodenameHolds, type ErasedHoldId } from './codename-holds.ts';
import { type Collections, openCollections } from './collections.ts';
import { createDirtySets } from './dirty-sets.ts';
import { createLeases } from './leases.ts';
import { createOperatorLog } from './operator-log.ts';
import { codenamesAround } from './operator-reads.ts';
import { createOperatorStore } from './operator-store.ts';
import { createRerankParts } from './rerank-parts.ts';
import { createRerankRuns } from './rerank-runs.ts';
import { createRollups } from './rollups.ts';
import { createSnapshotLog } from './snapshot-log.ts';
import { type StateWrite, writeStates } from './state-writer.ts';
import { createVerdictRepairs } from './verdict-repairs.ts';
import { createVerdictStore } from './verdict-store.ts';

export type Stores = ReturnType<typeof openStores>;

/** All stores of the ranking engine, on one connection. */
export function openStores(connection: Connection, erasedHoldId: ErasedHoldId = withoutSecret) {
  const collections = openCollections(connection);
  return {
    operators: createOperatorStore(collections),
    writeStates: (writes: readonly StateWrite[], amendedAt: Date | null) => writeStates(collections, writes, amendedAt),
    log: createSnapshotLog(collections),
    operatorLog: createOperatorLog(collections),
    rollups: createRollups(collections),
    verdicts: { ...createVerdictStore(collections), ...createVerdictRepairs(collections) },
    dirtySets: createDirtySets(collections),
    board: createBoardManifest(collections),
    parts: createBoardParts(collections),
    codenamesAround: (codename: string, each: number) => codenamesAround(collections, codename, each),
    codenameHolds: createCodenameHolds(collections, erasedHoldId),
    leases: createLeases(collections),
    progress: createProgress(collections),
    catchUpLog: createCatchUpLog(collections),
    rerankRuns: createRerankRuns(collections),
    rerankParts: createRerankParts(collections),
  };
}

function withoutSecret(): Promise<never> {
  return Promise.reject(new Error('codenames cannot be reserved without the secret of this installation'));
}

/** Scan positions of jobs. Losing one costs a longer scan and nothing else. */
function createProgress({ progress }: Collections) {
  return {
    async read(name: string): Promise<string | null> {
      return (await progress.findOne({ _id: name }))?.value ?? null;
    },

    async write(name: string, value: string): Promise<void> {
      await progress.updateOne({ _id: name }, { $set: { value } }, { upsert: true });
    },
  };
}
