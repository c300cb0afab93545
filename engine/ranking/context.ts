import type { Failpoint } from './failpoints.ts';
import type { LiveIngest } from './ingest/live-ingest.ts';
import type { StateCache } from './ingest/load-states.ts';
import type { Methodology } from './methodologies/methodology.ts';
import type { RankingReport } from './report.ts';
import type { Stores } from './storage/stores.ts';
import type { EngineTrace } from './trace.ts';
import type { Clock, DeviceKeyLookup } from './types.ts';

/** What every use-case of the engine is given. */
export interface RankingContext {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly methodologies: ReadonlyMap<number, Methodology>;
  readonly deviceKeys: DeviceKeyLookup;
  readonly operatorStates: StateCache;
  readonly liveIngest: LiveIngest;
  /** The board's hour as this process read it last; 0 before that. It never goes back. */
  readonly boardHour: { known: number };
  readonly report: RankingReport;
  readonly trace: EngineTrace;
  readonly failpoint: Failpoint;
  /** Segments a root may name before they are merged. */
  readonly maxSegments: number;
  /** Operator numbers that one job of a re-rank scores. */
  readonly rangeOperators: number;
}
