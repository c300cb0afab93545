import { profileOnDemand } from './profile-on-demand.ts';

/** The worker process of the ingest bench: the product's, with a profiler. */
profileOnDemand(process.argv[2]);
await import('../../../workers/main.ts');
