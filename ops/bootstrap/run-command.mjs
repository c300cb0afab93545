import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileServices } from './compile-services.mjs';
import { ensureDependencies, InstallError } from './ensure-dependencies.mjs';
import { runProgram } from './run-program.mjs';
import { SERVICE_NODE_ARGS } from './service-node-args.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '');

/** Loads test files as ES modules: `require` would give them a second copy of their imports. Tests make much garbage. */
const TEST_NODE_ARGS = ['--no-experimental-require-module', '--max-semi-space-size=32', '--single-threaded-gc'];

/**
 * Each command's Node arguments, the packages it needs (of production, or all), and work to do while it runs.
 *
 * @typedef {{ packages: 'production' | 'all', program: ((args: string[]) => string[]) | null, meanwhile?: () => Promise<unknown> }} Command
 * @type {Record<string, Command>}
 */
const COMMANDS = {
  // Compiles the services, and packs the tool that they offer, while the databases start.
  start: {
    ...program('ops/start.ts'),
    async meanwhile() {
      await compileServices(ROOT);
      await (await import('../../cli/pack.mjs')).packTool(ROOT);
    },
  },
  dev: { packages: 'all', program: (args) => [pathOf('ops/start.ts'), '--dev', ...args] },
  demo: program('ops/demo.ts'),
  api: service('api', 'api/main.ts'),
  worker: service('worker', 'workers/main.ts'),
  ops: program('ops/commands/main.ts'),
  upsilon: program('cli/src/main.ts'),
  openapi: program('api/print-description.ts'),
  docs: { ...program('ops/docs/main.ts'), packages: 'all' },
  pictures: { ...program('ops/docs/pictures-main.ts'), packages: 'all' },
  bench: { ...program('ops/bench/main.ts'), packages: 'all' },
  proof: { ...program('ops/bench/proof/proof-main.ts'), packages: 'all' },
  mutants: { ...program('test/mutants/main.ts'), packages: 'all' },
  soak: { ...program('test/soak/main.ts'), packages: 'all' },
  // Installs all packages only.
  install: { packages: 'all', program: null },
  test: {
    packages: 'all',
    program: (args) => [...TEST_NODE_ARGS, pathOf('test/runner/main.ts'), ...args],
  },
};

/**
 * Installs the packages that the command needs and runs it; this process exits with the command's status.
 *
 * @param {string | undefined} name
 * @param {string[]} args
 */
export async function runCommand(name, args) {
  const command = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    process.stderr.write(`Usage: node ops/bootstrap.mjs ${Object.keys(COMMANDS).join('|')} …\n`);
    process.exitCode = 2;
    return;
  }
  try {
    await ensureDependencies(ROOT, command.packages);
    if (command.program === null) return;
    runProgram(ROOT, command.program(args));
    // When it fails, the processes that need the result try it themselves.
    command.meanwhile?.().catch(() => {});
  } catch (error) {
    if (!(error instanceof InstallError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error.status;
  }
}

/**
 * @param {string} entry
 * @returns {Command}
 */
function program(entry) {
  return { packages: 'production', program: (args) => [pathOf(entry), ...args] };
}

/**
 * @param {'api' | 'worker'} role
 * @param {string} source
 * @returns {Command}
 */
function service(role, source) {
  const args = () => pathOf(source) && [...SERVICE_NODE_ARGS[role], pathOf('ops/bootstrap/service.mjs'), role];
  return { packages: 'production', program: args };
}

/**
 * @param {string} entry
 * @throws InstallError when it does not exist
 */
function pathOf(entry) {
  const path = join(ROOT, entry);
  if (!existsSync(path)) throw new InstallError(`${entry} does not exist in this copy of the project.`);
  return path;
}
