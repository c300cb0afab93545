import { profileOnDemand } from './profile-on-demand.ts';

/** The api process of the ingest bench: that of every bench, with a profiler. */
profileOnDemand(process.argv[2]);
await import('../frame/service/api-main.ts');
