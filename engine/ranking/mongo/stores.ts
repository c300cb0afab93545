import type { Connection } from 'mongoose';
import { createBoardParts } from './board-parts.ts';
import { createBoardRoots } from './board-root.ts';
import { createCarries } from './carries.ts';
import { createChangeLists } from './change-lists.ts';
import { createChangeTrail } from './change-trail.ts';
import { createCodenameHolds, type ErasedHoldId } from './codename-holds.ts';
import { codenamesAround } from './codenames-around.ts';
import { openCollections } from './collections.ts';
import { createLeases } from './leases.ts';
import { createOperatorLog } from './operator-log.ts';
import { createOperatorStore } from './operator-store.ts';
import { createProgress } from './progress.ts';
import { createRerankParts } from './rerank-parts.ts';
import { createRerankRuns } from './rerank-runs.ts';
import { createSnapshotLog } from './snapshot-log.ts';
import { type StandingWrite, writeStandings } from './standing-writer.ts';
import { createVerdictRepairs } from './verdict-repairs.ts';
import { createVerdictStore } from './verdict-store.ts';

export type Stores = ReturnType<typeof openStores>;

/** Everything the ranking engine keeps, on one connection. */
export function openStores(connection: Connection, erasedHoldId: ErasedHoldId = withoutSecret) {
  const collections = openCollections(connection);
  return {
    operators: createOperatorStore(collections),
    writeStandings: (writes: readonly StandingWrite[], amendedAt: Date | null) =>
      writeStandings(collections, writes, amendedAt),
    log: createSnapshotLog(collections),
    operatorLog: createOperatorLog(collections),
    carries: createCarries(collections),
    verdicts: { ...createVerdictStore(collections), ...createVerdictRepairs(collections) },
    changeLists: createChangeLists(collections),
    board: createBoardRoots(collections),
    parts: createBoardParts(collections),
    codenamesAround: (codename: string, each: number) => codenamesAround(collections, codename, each),
    codenameHolds: createCodenameHolds(collections, erasedHoldId),
    leases: createLeases(collections),
    progress: createProgress(collections),
    changeTrail: createChangeTrail(collections),
    rerankRuns: createRerankRuns(collections),
    rerankParts: createRerankParts(collections),
  };
}

function withoutSecret(): Promise<never> {
  return Promise.reject(new Error('codenames cannot be held without the secret of this installation'));
}
