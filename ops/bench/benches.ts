import type { Bench } from './bench.ts';
import { commit } from './commit/commit.ts';
import { ingest } from './ingest/ingest.ts';
import { reads } from './reads/reads.ts';

/** Every bench, in the order in which `smoke` runs them. */
export const BENCHES: readonly Bench[] = [reads, ingest, commit];
