import { fileURLToPath } from 'node:url';
import { compilePrograms } from '../../ops/bootstrap/compile-services.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '');

/** Sources of programs that several tests start. */
const SOURCES = {
  api: 'api/main.ts',
  worker: 'workers/main.ts',
  steppedService: 'test/support/children/stepped-service.ts',
  clockedWorker: 'test/support/children/clocked-worker.ts',
  doomedWorker: 'test/support/children/doomed-worker.ts',
} as const;

let compiling: Promise<Record<keyof typeof SOURCES, string>> | null = null;

/** Compiles the programs as `npm start` does, once for all tests, and returns the path of one. */
export async function childProgram(name: keyof typeof SOURCES): Promise<string> {
  compiling ??= compilePrograms(ROOT, SOURCES, 'tests');
  return (await compiling)[name];
}
