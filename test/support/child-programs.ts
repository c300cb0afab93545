import { fileURLToPath } from 'node:url';
import { compilePrograms } from '../../ops/bootstrap/compile-services.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '');

/** Sources of programs that several tests start. */
const SOURCES = {
  api: 'api/main.ts',
  worker: 'workers/main.ts',
  watchedApi: 'test/support/children/watched-api.ts',
  steppedService: 'test/support/children/stepped-service.ts',
  clockedWorker: 'test/support/children/clocked-worker.ts',
  doomedWorker: 'test/support/children/doomed-worker.ts',
  ops: 'ops/commands/main.ts',
  embeddedMongo: 'ops/local/mongo/embedded-main.ts',
  embeddedRedis: 'ops/local/redis/wasm-main.ts',
  starter: 'test/support/children/starter-child.ts',
  standInApi: 'test/support/children/api-child.ts',
  standInWorker: 'test/support/children/service-child.ts',
  subscriptions: 'test/support/children/subscriptions-child.ts',
  lifecycle: 'test/support/children/lifecycle-child.ts',
} as const;

type Programs = Readonly<Record<keyof typeof SOURCES, string>>;

let compiling: Promise<Programs> | null = null;

/** Compiles the programs as `npm start` does, unless they are; a process that compiles them while it loads starts slowly. */
export function compileChildPrograms(): Promise<Programs> {
  compiling ??= compilePrograms(ROOT, SOURCES, 'tests');
  return compiling;
}

/** The path of a compiled program. */
export async function childProgram(name: keyof typeof SOURCES): Promise<string> {
  return (await compileChildPrograms())[name];
}
