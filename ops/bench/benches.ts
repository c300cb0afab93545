import { commit } from './commit/commit.ts';
import { core } from './core/core.ts';
import type { Bench } from './frame/bench.ts';
import { ingest } from './ingest/ingest.ts';
import { load } from './load/load.ts';
import { reads } from './reads/reads.ts';
import { site } from './reads/site.ts';
import { rerankLive } from './rerank/live/live.ts';
import { rerank } from './rerank/rerank.ts';
import { scale } from './scale/scale.ts';
import { scan } from './scan/scan.ts';
import { sortedSet } from './sorted-set/sorted-set.ts';

/** Every bench, in the order in which `smoke` runs them. */
export const BENCHES: readonly Bench[] = [
  reads,
  scan,
  ingest,
  load,
  commit,
  sortedSet,
  rerank,
  rerankLive,
  scale,
  core,
  site,
];
