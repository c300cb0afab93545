// One process of the service: `node ops/bootstrap/service.mjs api|worker`. It runs the compiled program. When node_modules
// is not writable, it compiles the sources while they load, which needs more memory.
import { fileURLToPath } from 'node:url';
import { compileServices } from './compile-services.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '');
const SOURCES = { api: '../../api/main.ts', worker: '../../workers/main.ts' };

const name = process.argv[2];
if (name !== 'api' && name !== 'worker') {
  process.stderr.write('Usage: node ops/bootstrap/service.mjs api|worker\n');
  process.exitCode = 2;
} else {
  const programs = await compileServices(ROOT).catch((error) => {
    process.stderr.write(`The ${name} is compiled while it loads, which needs more memory: ${error.message}\n`);
    return null;
  });
  if (programs === null) await import('tsx');
  await import(programs === null ? new URL(SOURCES[name], import.meta.url).href : programs[name]);
}
