import { fileURLToPath } from 'node:url';
import { configOrExit, loadConfig } from '../config/config.ts';
import { processEnvironment } from '../config/env.ts';
import { startUpsilon } from './local/starter/start-upsilon.ts';

const SERVICE = pathOf('bootstrap/service.mjs');
/** Sources, compiled while they load, so that stack traces contain their lines. */
const SOURCES = { api: pathOf('../api/main.ts'), worker: pathOf('../workers/main.ts') };

/** `npm start`: the whole service on this machine. `npm run dev` adds `--dev`. */
const development = process.argv.includes('--dev');
const config = configOrExit(() => loadConfig(undefined, 'api'));

// Output to a closed terminal fails; an orderly stop matters more.
process.stdout.on('error', () => {});

const started = await startUpsilon({
  config,
  environment: processEnvironment(),
  entries: development ? SOURCES : { api: SERVICE, worker: SERVICE },
  sources: development ? pathOf('..') : null,
  print: (text) => void process.stdout.write(`${text}\n`),
  printFailure: (text) => void process.stderr.write(`${text}\n`),
});
if (!started) process.exit(1);

function pathOf(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
