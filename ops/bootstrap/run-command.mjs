import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureDependencies } from './ensure-dependencies.mjs';
import { InstallError } from './install-error.mjs';
import { runProgram } from './run-program.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Test files are loaded as the ES modules they are: `require` would give them a second copy of what they import. */
const MOCHA = ['--no-experimental-require-module', join(ROOT, 'node_modules/mocha/lib/cli/cli.js')];
/** As `npm start` gives them: see `ops/local/starter/services.ts`. */
const SERVICE_NODE_ARGS = ['--max-semi-space-size=32'];
const ALL_TESTS = 'test/**/*.test.ts';

/**
 * Each command's Node arguments, and the packages it takes: those of production, or all.
 *
 * @type {Record<string, { packages: 'production' | 'all', program: ((args: string[]) => string[]) | null }>}
 */
const COMMANDS = {
  start: program('ops/start.ts'),
  api: program('api/main.ts', SERVICE_NODE_ARGS),
  worker: program('workers/main.ts', SERVICE_NODE_ARGS),
  ops: program('ops/commands/main.ts'),
  upsilon: program('cli/src/main.ts'),
  openapi: program('api/openapi/print.ts'),
  bench: { ...program('ops/bench/main.ts'), packages: 'all' },
  // Installs all packages and nothing more.
  install: { packages: 'all', program: null },
  test: {
    packages: 'all',
    program: (args) => [
      ...MOCHA,
      ...args,
      ...(args.some((arg) => /\.(test|browser|conformance)\.ts$/.test(arg)) ? [] : [ALL_TESTS]),
    ],
  },
};

/**
 * Installs what the command needs and runs it; this process then ends as the command does.
 *
 * @param {string | undefined} name
 * @param {string[]} args
 */
export function runCommand(name, args) {
  const command = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    process.stderr.write(`Usage: node ops/bootstrap.mjs ${Object.keys(COMMANDS).join('|')} …\n`);
    process.exitCode = 2;
    return;
  }
  try {
    ensureDependencies(ROOT, command.packages);
    if (command.program !== null) runProgram(ROOT, command.program(args));
  } catch (error) {
    if (!(error instanceof InstallError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

/**
 * @param {string} entry
 * @param {string[]} nodeArgs
 */
function program(entry, nodeArgs = []) {
  return {
    packages: 'production',
    program: (args) => {
      const path = join(ROOT, entry);
      if (!existsSync(path)) throw new InstallError(`${entry} does not exist in this copy of the project.`);
      return [...nodeArgs, path, ...args];
    },
  };
}
