import { FIRST_METHODOLOGY, METHODOLOGIES } from '../../config/methodologies/index.ts';
import type { Methodology } from '../../config/methodologies/methodology.ts';
import type { Connection } from '../mongo/index.ts';
import type { Reach } from './checkpoints.ts';
import type { RankingContext } from './context.ts';
import { appendEntries } from './ingest/append-entries.ts';
import { findVerdict } from './ingest/find-verdict.ts';
import { judgeGroup, judgeGroupApart } from './ingest/judge-group.ts';
import { createLiveFolds } from './ingest/live-folds.ts';
import { createStandingCache } from './ingest/load-standings.ts';
import { ensureRankingIndexes } from './mongo/collections.ts';
import { openStores } from './mongo/stores.ts';
import { type Amendment, amendOperator } from './operators/amend-operator.ts';
import { enrolOperator } from './operators/enrol-operator.ts';
import { eraseOperator } from './operators/erase-operator.ts';
import { createErasedHoldId } from './operators/erased-hold-id.ts';
import { findOperator, operatorByNumber } from './operators/find-operator.ts';
import { type ImportedOperator, importOperators } from './operators/import-operators.ts';
import { keptOfOperator, keptSnapshots } from './operators/kept-of-operator.ts';
import { renameOperator } from './operators/rename-operator.ts';
import { setDisplayName } from './operators/set-display-name.ts';
import { createCommitter } from './publish/committer.ts';
import { compactBoard } from './publish/compact-board.ts';
import { createFirstBoard } from './publish/create-first-board.ts';
import { MAX_SEGMENTS } from './publish/merge-segments.ts';
import { createPublishedBoardSource } from './publish/published-board.ts';
import { rebuildBoard } from './publish/rebuild-board.ts';
import { sweepBoard } from './publish/sweep-board.ts';
import { turnHour } from './publish/turn-hour.ts';
import { openBoardReader } from './read/board-reader.ts';
import { createRepair } from './repair/index.ts';
import { type RankingReport, SILENT_REPORT } from './report.ts';
import { createRerank, OPERATORS_A_RANGE } from './rerank/index.ts';
import { type EngineTrace, NO_TRACE } from './trace.ts';
import type { Clock, DeviceKeyLookup, LogEntry, SharedSecret } from './types.ts';
import { healOperators } from './upkeep/heal-operators.ts';
import { type EnsureJob, reconcileLog } from './upkeep/reconcile-log.ts';
import { rejudgePoisoned } from './upkeep/rejudge-poisoned.ts';

export type * from './board-questions.ts';
export { CHECKPOINTS, type Checkpoint, RERANK_CHECKPOINTS, type Reach } from './checkpoints.ts';
export { cascadeString, type Score, scoreOf, tierOf } from './core/score.ts';
export { MAX_STREAMS } from './core/standing/index.ts';
export type { Enrolment } from './operators/enrol-operator.ts';
export type { ImportedOperator, ImportedUsage } from './operators/import-operators.ts';
export type { KeptOperator, KeptSnapshot } from './operators/kept-of-operator.ts';
export type { Renaming } from './operators/rename-operator.ts';
export type { DisplayNaming } from './operators/set-display-name.ts';
export type { Committer } from './publish/committer.ts';
export type * from './repair/index.ts';
export { type RankingReport, SILENT_REPORT } from './report.ts';
export type * from './rerank/index.ts';
export type { EngineTrace } from './trace.ts';
export type * from './types.ts';
export type { EnsureJob } from './upkeep/reconcile-log.ts';
export { ownerRefusal } from './verification/index.ts';

/** What the ranking engine is given. Everything it reads of the world comes through here. */
export interface RankingDependencies {
  /** Connected. */
  readonly connection: Connection;
  readonly clock: Clock;
  readonly deviceKeys: DeviceKeyLookup;
  readonly sharedSecret: SharedSecret;
  readonly methodologies?: ReadonlyMap<number, Methodology>;
  readonly report?: Partial<RankingReport>;
  readonly trace?: EngineTrace;
  readonly reach?: Reach;
  /** Segments of a board before they are merged; tests lower it. */
  readonly maxSegments?: number;
  /** Operator numbers that one job of a re-rank scores; tests lower it. */
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
    standings: createStandingCache(),
    liveFolds: createLiveFolds(),
    boardHour: { known: 0 },
    report: { ...SILENT_REPORT, ...dependencies.report },
    trace: dependencies.trace ?? NO_TRACE,
    reach: dependencies.reach ?? (() => undefined),
    maxSegments: dependencies.maxSegments ?? MAX_SEGMENTS,
    rangeOperators: dependencies.rangeOperators ?? OPERATORS_A_RANGE,
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
      keptOf: (operator: number) => keptOfOperator(context, operator),
      keptSnapshots: (operator: number) => keptSnapshots(context, operator),
      /** The numbers of operators that are off the boards because they are suspended. */
      suspended: () => context.stores.operators.suspended(),
      /** Deletes the holds of codenames whose time has ended; returns how many there were. */
      sweepHolds: () => context.stores.codenameHolds.sweep(new Date(clock())),
      /** Lets anybody have a codename that was given up; false when it is not held for anybody. */
      freeCodename: (codename: string) => context.stores.codenameHolds.free(codename),
    },
    log: {
      append: (entries: readonly LogEntry[]) => appendEntries(context, entries),
      ofGroup: (group: string) => context.stores.log.ofGroup(group),
      findVerdict: (operator: number, jti: string) => findVerdict(context, operator, jti),
    },
    judgeGroup: (group: string, entries: readonly LogEntry[]) => judgeGroup(context, group, entries),
    judgeGroupApart: (group: string, entries: readonly LogEntry[]) => judgeGroupApart(context, group, entries),
    createCommitter: (onPublished: (version: number) => void, onError: (error: unknown) => void) =>
      createCommitter(context, onPublished, onError),
    compactBoard: () => compactBoard(context),
    rebuildBoard: () => rebuildBoard(context),
    rerank: createRerank(context),
    turnHour: () => turnHour(context),
    sweepBoard: () => sweepBoard(context),
    reconcileLog: (ensureJob: EnsureJob) => reconcileLog(context, ensureJob),
    rejudgePoisoned: () => rejudgePoisoned(context),
    repair: createRepair(context, FIRST_METHODOLOGY),
    healOperators: () => healOperators(context, createPublishedBoardSource(context)),
    openBoardReader: (onError: (error: unknown) => void) => openBoardReader(context, onError),
  };
}
