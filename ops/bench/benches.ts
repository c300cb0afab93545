import { commit } from './commit.ts';
import type { Bench } from './frame/bench.ts';
import { ingest } from './ingest.ts';
import { load } from './load.ts';
import { reads } from './reads/reads.ts';
import { rerank } from './rerank.ts';
import { scale } from './scale/scale.ts';
import { scan } from './scan/scan.ts';

/** Every bench, in the order of the proof. */
export const BENCHES: readonly Bench[] = [reads, ingest, commit, rerank, scale, load, scan];
