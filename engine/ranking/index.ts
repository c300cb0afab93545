import type { Connection } from '../mongo/index.ts';
import { advanceHour } from './board/advance-hour.ts';
import { collectGarbage } from './board/collect-garbage.ts';
import { createCommitter } from './board/committer.ts';
import { compactBoard } from './board/compact-board.ts';
import { createFirstBoard } from './board/create-first-board.ts';
import { MAX_SEGMENTS } from './board/merge-segments.ts';
import { createPublishedBoardSource } from './board/published-board.ts';
import { rebuildBoard } from './board/rebuild-board.ts';
import type { RankingContext } from './context.ts';
import type { Failpoint } from './failpoints.ts';
import { appendBatch } from './ingest/append-batch.ts';
import { findVerdict } from './ingest/find-verdict.ts';
import { createLiveIngest } from './ingest/live-ingest.ts';
import { createStateCache } from './ingest/load-states.ts';
import { processBatch, processBatchByEntry } from './ingest/process-batch.ts';
import { FIRST_METHODOLOGY, METHODOLOGIES } from './methodologies/index.ts';
import type { Methodology } from './methodologies/methodology.ts';
import { type Amendment, amendOperator } from './operators/amend-operator.ts';
import { enrolOperator } from './operators/enrol-operator.ts';
import { eraseOperator } from './operators/erase-operator.ts';
import { createErasedHoldId } from './operators/erased-hold-id.ts';
import { exportOperator, exportSnapshots } from './operators/export-operator.ts';
import { findOperator, operatorByNumber } from './operators/find-operator.ts';
import { type ImportedOperator, importOperators } from './operators/import-operators.ts';
import { renameOperator } from './operators/rename-operator.ts';
import { setDisplayName } from './operators/set-display-name.ts';
import { openBoardReader } from './read/board-reader.ts';
import { createRepair } from './repair/index.ts';
import { type EnsureJob, reconcileLog } from './repair/reconcile-log.ts';
import { reconcileOperators } from './repair/reconcile-operators.ts';
import { reprocessPoisoned } from './repair/reprocess-poisoned.ts';
import { type RankingReport, SILENT_REPORT } from './report.ts';
import { createRerank, OPERATORS_PER_RANGE } from './rerank/index.ts';
import { ensureRankingIndexes, openStores } from './storage/stores.ts';
import { type EngineTrace, NO_TRACE } from './trace.ts';
import type { Clock, DeviceKeyLookup, LogEntry, SharedSecret } from './types.ts';

export type { Committer } from './board/committer.ts';
export type * from './board-view.ts';
export { MAX_STREAMS } from './core/operator-state/index.ts';
export { cascadeString, type Score, scoreOf, tierOf } from './core/score.ts';
export { FAILPOINTS, type Failpoint, type FailpointName, RERANK_FAILPOINTS } from './failpoints.ts';
export { ownerRefusal } from './ingest/verification/index.ts';
export type { Enrolment } from './operators/enrol-operator.ts';
export type { ExportedOperator, ExportedSnapshot } from './operators/export-operator.ts';
export type { ImportedOperator, ImportedUsage } from './operators/import-operators.ts';
export type { Renaming } from './operators/rename-operator.ts';
export type { DisplayNaming } from './operators/set-display-name.ts';
export type * from './repair/index.ts';
export type { EnsureJob } from './repair/reconcile-log.ts';
export { type RankingReport, SILENT_REPORT } from './report.ts';
export type * from './rerank/index.ts';
export type { EngineTrace } from './trace.ts';
export type * from './types.ts';

/** All external dependencies of the ranking engine. */
export interface RankingDependencies {
  /** Connected. */
  readonly connection: Connection;
  readonly clock: Clock;
  readonly deviceKeys: DeviceKeyLookup;
  readonly sharedSecret: SharedSecret;
  readonly methodologies?: ReadonlyMap<number, Methodology>;
  readonly report?: Partial<RankingReport>;
  readonly trace?: EngineTrace;
  readonly failpoint?: Failpoint;
  /** Segments in a manifest before they are merged; tests lower it. */
  readonly maxSegments?: number;
  /** Operator numbers scored by one job of a re-rank; tests lower it. */
  readonly rangeOperators?: number;
}

export type Ranking = ReturnType<typeof createRanking>;

/** The ranking engine: from log entries to published boards. */
export function createRanking(dependencies: RankingDependencies) {
  const { connection, clock, deviceKeys } = dependencies;
  const context: RankingContext = {
    stores: openStores(connection, createErasedHoldId(dependencies.sharedSecret)),
    clock,
    deviceKeys,
    methodologies: dependencies.methodologies ?? METHODOLOGIES,
    operatorStates: createStateCache(),
    liveIngest: createLiveIngest(),
    boardHour: { known: 0 },
    report: { ...SILENT_REPORT, ...dependencies.report },
    trace: dependencies.trace ?? NO_TRACE,
    failpoint: dependencies.failpoint ?? (() => undefined),
    maxSegments: dependencies.maxSegments ?? MAX_SEGMENTS,
    rangeOperators: dependencies.rangeOperators ?? OPERATORS_PER_RANGE,
  };
  return {
    ensureIndexes: () => ensureRankingIndexes(connection),
    ensureBoard: () => createFirstBoard(context, FIRST_METHODOLOGY),
    operators: {
      enrol: (operator: { readonly codename: string; readonly displayName?: string | null }) =>
        enrolOperator(context, operator),
      import: (operators: readonly ImportedOperator[]) => importOperators(context, operators),
      amend: (operator: number, amendment: Amendment) => amendOperator(context, operator, amendment),
      rename: (operator: number, codename: string) => renameOperator(context, operator, codename),
      setDisplayName: (operator: number, displayName: string | null) => setDisplayName(context, operator, displayName),
      erase: (operator: number) => eraseOperator(context, operator),
      byNumber: (operator: number) => operatorByNumber(context, operator),
      find: (codename: string) => findOperator(context, codename),
      export: (operator: number) => exportOperator(context, operator),
      exportSnapshots: (operator: number) => exportSnapshots(context, operator),
      /** Numbers of suspended operators. */
      suspended: () => context.stores.operators.suspended(),
      /** Deletes expired codename holds; returns their count. */
      removeExpiredHolds: () => context.stores.codenameHolds.removeExpired(new Date(clock())),
      /** Releases a codename that was given up; false when it has no hold. */
      freeCodename: (codename: string) => context.stores.codenameHolds.free(codename),
    },
    log: {
      append: (entries: readonly LogEntry[]) => appendBatch(context, entries),
      ofBatch: (batch: string) => context.stores.log.ofBatch(batch),
      findVerdict: (operator: number, jti: string) => findVerdict(context, operator, jti),
    },
    processBatch: (batch: string, entries: readonly LogEntry[]) => processBatch(context, batch, entries),
    processBatchByEntry: (batch: string, entries: readonly LogEntry[]) => processBatchByEntry(context, batch, entries),
    createCommitter: (onPublished: (version: number) => void, onError: (error: unknown) => void) =>
      createCommitter(context, onPublished, onError),
    compactBoard: () => compactBoard(context),
    rebuildBoard: () => rebuildBoard(context),
    rerank: createRerank(context),
    advanceHour: () => advanceHour(context),
    collectGarbage: () => collectGarbage(context),
    reconcileLog: (ensureJob: EnsureJob) => reconcileLog(context, ensureJob),
    reprocessPoisoned: () => reprocessPoisoned(context),
    repair: createRepair(context, FIRST_METHODOLOGY),
    reconcileOperators: () => reconcileOperators(context, createPublishedBoardSource(context)),
    openBoardReader: (onError: (error: unknown) => void) => openBoardReader(context, onError),
  };
}
