import type { Methodology } from '../../config/methodologies/methodology.ts';
import type { Reach } from './checkpoints.ts';
import type { LiveFolds } from './ingest/live-folds.ts';
import type { StandingCache } from './ingest/load-standings.ts';
import type { Stores } from './mongo/stores.ts';
import type { RankingReport } from './report.ts';
import type { EngineTrace } from './trace.ts';
import type { Clock, DeviceKeyLookup } from './types.ts';

/** What every use-case of the engine is given. */
export interface RankingContext {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly methodologies: ReadonlyMap<number, Methodology>;
  readonly deviceKeys: DeviceKeyLookup;
  readonly standings: StandingCache;
  readonly liveFolds: LiveFolds;
  /** The board's hour as this process read it last; 0 before that. It never goes back. */
  readonly boardHour: { known: number };
  readonly report: RankingReport;
  readonly trace: EngineTrace;
  readonly reach: Reach;
  /** Segments a root may name before they are merged. */
  readonly maxSegments: number;
  /** Operator numbers that one job of a re-rank scores. */
  readonly rangeOperators: number;
}
