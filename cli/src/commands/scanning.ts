/** The commands that scan, as one bundle that is loaded on demand, as in `online.ts`: `--help` does not load it. */
export { selectService } from '../auth/select-service.ts';
export { readSettings } from '../settings.ts';
export { PLATFORMS } from '../sources/registry.ts';
export { completionCommand } from './completion.ts';
export { recountCommand } from './recount.ts';
export { sourcesCommand } from './sources.ts';
export { submitCommand } from './submit.ts';
export { watchCommand } from './watch.ts';
