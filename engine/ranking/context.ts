import type { LRUCache } from 'lru-cache';
import type { Failpoint } from './failpoints.ts';
import type { Methodology } from './methodologies/methodology.ts';
import type { RankingReport } from './report.ts';
import type { BoardBasis } from './storage/board-manifest.ts';
import type { LoadedState } from './storage/operators.ts';
import type { Stores } from './storage/stores.ts';
import type { Clock, DeviceKeyLookup } from './types.ts';

/** Operator states in a worker's memory. */
export type StateCache = LRUCache<number, LoadedState>;

/** Whether this process is ingesting snapshots. Background work yields the store to ingest. */
export interface LiveIngest {
  /** Called for each batch. */
  recordBatch(): void;
  isActive(): boolean;
}

/** Connects the engine's steps to a tracer; each gets a separate span. */
export interface EngineTrace {
  step<T>(name: 'verify' | 'apply', work: () => Promise<T>): Promise<T>;
  /** The current trace context as a W3C `traceparent`; undefined when tracing is off. */
  current(): string | undefined;
}

export const NO_TRACE: EngineTrace = { step: (_name, work) => work(), current: () => undefined };

/** Dependencies of every operation of the engine. */
export interface RankingContext {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly methodologies: ReadonlyMap<number, Methodology>;
  readonly deviceKeys: DeviceKeyLookup;
  readonly operatorStates: StateCache;
  readonly liveIngest: LiveIngest;
  /** What this process read last of the board; its hour is 0 before the first read, and never decreases. */
  readonly boardBasis: { known: BoardBasis };
  readonly report: Partial<RankingReport>;
  readonly trace: EngineTrace;
  readonly failpoint: Failpoint;
  /** Segments in a manifest before they are merged. */
  readonly maxSegments: number;
  /** Operator numbers scored by one job of a re-rank. */
  readonly rangeOperators: number;
}

type Bound<Unbound> = {
  readonly [Name in keyof Unbound]: Unbound[Name] extends (context: RankingContext, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

type Operations = Readonly<Record<string, (context: RankingContext, ...rest: never[]) => unknown>>;

/** The operations without their first parameter, the context. */
export function bindContext<Unbound extends Operations>(context: RankingContext, operations: Unbound): Bound<Unbound>;
export function bindContext(context: RankingContext, operations: Operations) {
  const bound = Object.entries(operations).map(
    ([name, operation]) => [name, (...rest: never[]) => operation(context, ...rest)] as const,
  );
  return Object.fromEntries(bound);
}

/** The methodology of a board; throws when this release does not know it. */
export function methodologyOf(context: RankingContext, board: { readonly methodology: number }): Methodology {
  const methodology = context.methodologies.get(board.methodology);
  if (methodology === undefined) throw new Error(`methodology ${board.methodology} is unknown to this release`);
  return methodology;
}
