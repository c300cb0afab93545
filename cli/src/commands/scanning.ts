/**
 * What every command needs, and the commands that scan, as one bundle that is loaded on demand, as in `online.ts`: without it,
 * `--help` takes half the time.
 */
export { selectService } from '../auth/select-service.ts';
export { readSettings } from '../settings.ts';
export { PLATFORMS } from '../sources/registry.ts';
export { completionCommand } from './completion.ts';
export { recountCommand } from './recount.ts';
export { sourcesCommand } from './sources.ts';
export { submitCommand } from './submit.ts';
export { watchCommand } from './watch.ts';
