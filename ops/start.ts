import { fileURLToPath } from 'node:url';
import { configOrExit, loadConfig } from '../config/config.ts';
import { processEnvironment } from '../config/env.ts';
import { startUpsilon } from './local/starter/start-upsilon.ts';

const SERVICE = fileURLToPath(new URL('bootstrap/service.mjs', import.meta.url));

/** `npm start`: the whole service on this machine. */
const config = configOrExit(loadConfig);

// A terminal that went away takes no more words; stopping in order matters more.
process.stdout.on('error', () => {});

try {
  await startUpsilon({
    config,
    environment: processEnvironment(),
    entries: { api: SERVICE, worker: SERVICE },
    say: (text) => void process.stdout.write(`${text}\n`),
  });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
