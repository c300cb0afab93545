import { type Connection, ensureIndexes } from '../mongo/index.ts';
import { blankErasedLines } from './archive/blank-lines.ts';
import { writeArchive } from './archive/write-days.ts';
import { advanceHour } from './board/advance-hour.ts';
import { collectGarbage } from './board/collect-garbage.ts';
import { createCommitter } from './board/committer.ts';
import { compactBoard } from './board/compact-board.ts';
import { createFirstBoard } from './board/create-first-board.ts';
import { MAX_SEGMENTS } from './board/merge-segments.ts';
import { rebuildBoard } from './board/rebuild-board.ts';
import { bindContext, type EngineTrace, NO_TRACE, type RankingContext } from './context.ts';
import type { Failpoint } from './failpoints.ts';
import { appendBatch } from './ingest/append-batch.ts';
import { findVerdict } from './ingest/find-verdict.ts';
import { createLiveIngest } from './ingest/live-ingest.ts';
import { createStateCache } from './ingest/load-states.ts';
import { processBatch, processBatchByEntry } from './ingest/process-batch.ts';
import { checkIntegrity } from './integrity/check-integrity.ts';
import { measureReference } from './integrity/measure-reference.ts';
import { METHODOLOGIES } from './methodologies/index.ts';
import type { Methodology } from './methodologies/methodology.ts';
import { amendOperator } from './operators/amend-operator.ts';
import { applyReview, holdReturned } from './operators/assert-findings.ts';
import { enrolOperator } from './operators/enrol-operator.ts';
import { eraseOperator } from './operators/erase-operator.ts';
import { explainOperator, measuredOf } from './operators/explain-operator.ts';
import { exportOperator, exportSnapshots } from './operators/export-operator.ts';
import { findOperator, operatorByNumber, streamsOf } from './operators/find-operator.ts';
import { hideOperator } from './operators/hide-operator.ts';
import { importOperators } from './operators/import-operators.ts';
import { createErasedHoldId } from './operators/keyed-hashes.ts';
import { renameOperator } from './operators/rename-operator.ts';
import { displayNameProblem, setDisplayName } from './operators/set-display-name.ts';
import { usageByDay } from './operators/usage-by-day.ts';
import { rankPlatforms } from './platforms/rank-platforms.ts';
import { openBoardReader } from './read/board-reader.ts';
import { finalSeason } from './read/league-board.ts';
import { processedSince, recomputeOperator, recomputeOperators } from './repair/recompute-operators.ts';
import { reconcileLog } from './repair/reconcile-log.ts';
import { reconcileOperators } from './repair/reconcile-operators.ts';
import { repairBoard } from './repair/repair-board.ts';
import { reprocessPoisoned } from './repair/reprocess-poisoned.ts';
import { retainLog } from './repair/retain-log.ts';
import { verify } from './repair/verify.ts';
import { verifyBoard } from './repair/verify-board.ts';
import { verifyPlatforms } from './repair/verify-platforms.ts';
import { batchesOf, voidEntries } from './repair/void-entries.ts';
import type { RankingReport } from './report.ts';
import { cancelRerank } from './rerank/end-rerank.ts';
import { finishRerank } from './rerank/finish-rerank.ts';
import { rerankStatus } from './rerank/rerank-status.ts';
import { rollBack } from './rerank/roll-back.ts';
import { scoreRange } from './rerank/score-range.ts';
import { OPERATORS_PER_RANGE, startRerank } from './rerank/start-rerank.ts';
import { superviseRerank } from './rerank/supervise-rerank.ts';
import { NO_BOARD } from './storage/board-manifest.ts';
import { openStores, RANKING_INDEXES } from './storage/stores.ts';
import type { Clock, DeviceKeyLookup, SharedSecret } from './types.ts';

export type { ArchiveTarget } from './archive/chain.ts';
export type { Committer } from './board/committer.ts';
export type { EngineTrace } from './context.ts';
export { DAILY_KEPT_HOURS, HOURLY_KEPT_HOURS } from './core/board/history.ts';
export type { Evidence } from './core/evidence.ts';
export { DAILY_DAYS, MAX_STREAMS, RETIRED_AFTER_DAYS, versionText } from './core/operator-state/index.ts';
export { cascadeString, type Score, scoreOf, tierOf, unrankedReason } from './core/score.ts';
export { ARCHIVE_FAILPOINTS, FAILPOINTS, type Failpoint, type FailpointName, RERANK_FAILPOINTS } from './failpoints.ts';
export { ownerRefusal } from './ingest/verification/verify-entries.ts';
export { MEASURED_DAYS, type MeasuredQuantiles } from './integrity/measure-reference.ts';
export { codenameProblem, type Enrolment } from './operators/enrol-operator.ts';
export { type Explanation, explainUsage } from './operators/explain-operator.ts';
export type { ExportedOperator, ExportedSnapshot } from './operators/export-operator.ts';
export type { Hiding } from './operators/hide-operator.ts';
export type { ImportedOperator, ImportedUsage } from './operators/import-operators.ts';
export { CODENAME_REST_MS, type Renaming } from './operators/rename-operator.ts';
export type { DisplayNaming } from './operators/set-display-name.ts';
export type { UsageAtDay } from './operators/usage-by-day.ts';
export type { Pace, PlatformsOutcome } from './platforms/rank-platforms.ts';
export type { BoardPage, NoPage, PageRequest, PageRow, PageStart, UnrankedOperator } from './read/board-page.ts';
export type { BoardReader } from './read/board-reader.ts';
export type { BoardView, CountFactors, SimulatedStanding, TierRange } from './read/board-view.ts';
export type { FeedItem } from './read/feed.ts';
export type { HeldRow } from './read/held-rows.ts';
export type { KeptBoard } from './read/kept-boards.ts';
export type { KeptProfile } from './read/kept-profile.ts';
export type { LeagueRequest } from './read/league-board.ts';
export type { Standing } from './read/standing.ts';
export type { Finding } from './repair/findings.ts';
export type { EnsureJob } from './repair/reconcile-log.ts';
export type { Repair } from './repair/repair-board.ts';
export type { VerifyStep } from './repair/verify.ts';
export type { Voiding, VoidSelection } from './repair/void-entries.ts';
export type { RankingReport } from './report.ts';
export type { RerankOutcome } from './rerank/finish-rerank.ts';
export type { NamedComparison, NamedMover, RerankStatus, RunStatus } from './rerank/rerank-status.ts';
export type { Rollback } from './rerank/roll-back.ts';
export type { RangeOutcome } from './rerank/score-range.ts';
export type { RerankRequest, RerankStart } from './rerank/start-rerank.ts';
export type { FlowState, RerankFlow, RerankJobs } from './rerank/supervise-rerank.ts';
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

const OPERATORS = {
  enrol: enrolOperator,
  import: importOperators,
  amend: amendOperator,
  applyReview,
  holdReturned,
  rename: renameOperator,
  setDisplayName,
  displayNameProblem,
  hide: hideOperator,
  erase: eraseOperator,
  byNumber: operatorByNumber,
  find: findOperator,
  streams: streamsOf,
  usageByDay,
  explain: explainOperator,
  measured: measuredOf,
  export: exportOperator,
  exportSnapshots,
};

const BOARD = {
  ensureBoard: createFirstBoard,
  processBatch,
  processBatchByEntry,
  createCommitter,
  compactBoard,
  rebuildBoard,
  advanceHour,
  collectGarbage,
  reconcileLog,
  reprocessPoisoned,
  reconcileOperators,
  maintainIntegrity: checkIntegrity,
  measureReference,
  openBoardReader,
  finalSeason,
};

/** Re-ranks: changes of the board's methodology. */
const RERANK = {
  start: startRerank,
  scoreRange,
  finish: finishRerank,
  supervise: superviseRerank,
  cancel: cancelRerank,
  rollBack,
  status: rerankStatus,
};

/** Boards of single platforms. */
const PLATFORM_BOARDS = { rank: rankPlatforms };

/** The daily archive, in a folder. */
const ARCHIVE = { write: writeArchive, blankErased: blankErasedLines };

/** Verification, repair and retention of the engine's data. */
const REPAIR = {
  verify,
  verifyBoard,
  verifyPlatforms,
  processedSince,
  repair: repairBoard,
  recomputeAll: recomputeOperators,
  recompute: recomputeOperator,
  batchesOf,
  void: voidEntries,
  retainLog,
};

export type Ranking = ReturnType<typeof createRanking>;

/** The ranking engine: from log entries to published boards. */
export function createRanking(dependencies: RankingDependencies) {
  const { connection, clock, deviceKeys, sharedSecret } = dependencies;
  const context: RankingContext = {
    stores: openStores(connection, createErasedHoldId(sharedSecret)),
    clock,
    deviceKeys,
    methodologies: dependencies.methodologies ?? METHODOLOGIES,
    operatorStates: createStateCache(),
    liveIngest: createLiveIngest(),
    boardBasis: { known: NO_BOARD },
    report: dependencies.report ?? {},
    trace: dependencies.trace ?? NO_TRACE,
    failpoint: dependencies.failpoint ?? (() => undefined),
    maxSegments: dependencies.maxSegments ?? MAX_SEGMENTS,
    rangeOperators: dependencies.rangeOperators ?? OPERATORS_PER_RANGE,
  };
  const { stores } = context;
  return {
    ensureIndexes: async () => {
      await Promise.all([ensureIndexes(connection, RANKING_INDEXES), stores.codenameHolds.ensureIndexes()]);
    },
    operators: {
      ...bindContext(context, OPERATORS),
      /** Number of listed operators, ranked or not. */
      countListed: () => stores.operators.countListed(),
      /** Numbers of suspended operators. */
      suspended: () => stores.operators.suspended(),
      /** Deletes expired codename holds; returns their count. */
      removeExpiredHolds: () => stores.codenameHolds.removeExpired(new Date(clock())),
      /** Releases a codename that was given up; false when it has no hold. */
      freeCodename: (codename: string) => stores.codenameHolds.free(codename),
    },
    log: {
      ofBatch: (batch: string) => stores.log.ofBatch(batch),
      /** The number of entries in the batches. */
      countIn: (batches: readonly string[]) => stores.log.countIn(batches),
      ...bindContext(context, { append: appendBatch, findVerdict }),
    },
    ...bindContext(context, BOARD),
    platforms: bindContext(context, PLATFORM_BOARDS),
    rerank: bindContext(context, RERANK),
    repair: bindContext(context, REPAIR),
    archive: { ...bindContext(context, ARCHIVE), head: () => stores.archiveLines.head() },
  };
}
