import { spawn } from 'node:child_process';
import { constants as access, accessSync, mkdirSync } from 'node:fs';
import { constants, homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { installedPackages, SETS_FOLDER } from './installed-packages.mjs';
import { onOrphaned } from './on-orphaned.mjs';
import { withLock } from './with-lock.mjs';

/** Overwrites the sign of npm that it works, on a terminal. */
const LINE_START = process.stderr.isTTY ? '\r' : '';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Time from SIGTERM until npm is killed, in milliseconds. */
const STOP_WITHIN_MS = 1_000;

/** Interval of the lines that say that npm still runs, in milliseconds. */
const PROGRESS_INTERVAL_MS = 15_000;

const WHEN_NEEDED = 'needed once and after changes of package-lock.json';

/** What the sets of packages below `ops/packages` are for, and the settings that switch it on. */
const SETS = {
  traces: { use: 'traces by OpenTelemetry', setting: /^OTEL_EXPORTER_OTLP_(TRACES_)?ENDPOINT$/ },
  x402: { use: 'payments by x402', setting: /^X402_/ },
};

/** The packages could not be installed. The message is for people. */
export class InstallError extends Error {
  name = 'InstallError';

  /**
   * @param {string} message
   * @param {number} status of this process
   */
  constructor(message, status = 1) {
    super(message);
    this.status = status;
  }
}

/**
 * Installs the packages of `package-lock.json` unless they are installed: all, or those of production with the sets that the
 * settings switch on. Never removes packages from a valid installation.
 *
 * @param {string} root
 * @param {'production' | 'all'} scope
 */
export async function ensureDependencies(root, scope) {
  const wanted = scope === 'all' ? ['all'] : ['production', ...switchedOn()];
  if (enough(installedPackages(root), wanted)) return;
  if (!writable(root)) {
    throw new InstallError(
      `The packages have to be installed, but ${userInfo().username} may not write to ${root}.\n` +
        'Run "npm ci" there as a user with write access, or use a copy of the project that you own.',
    );
  }
  const scratch = join(root, '.data');
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  await withLock(join(scratch, 'install.lock'), async (addHolder) => {
    const installed = installedPackages(root);
    if (!enough(installed, wanted)) await install(root, installed, wanted, scratch, addHolder);
  });
}

/** The sets that settings in the environment switch on. */
function switchedOn() {
  const given = Object.keys(process.env).filter((name) => process.env[name] !== '');
  return Object.keys(SETS).filter((set) => given.some((name) => SETS[set].setting.test(name)));
}

function enough(installed, wanted) {
  return installed.includes('all') || wanted.every((set) => installed.includes(set));
}

async function install(root, installed, wanted, scratch, addHolder) {
  // `npm ci` would first remove the packages with which other processes run.
  const adds = installed.includes('production') && !wanted.includes('all');
  const command = adds ? 'install' : 'ci';
  process.stderr.write(`Installing ${describe(installed, wanted)} (npm ${command}; ${WHEN_NEEDED}) …\n`);
  const start = Date.now();
  const args = [
    command,
    ...(adds ? ['--no-save'] : []),
    ...scopeArgs(installed, wanted),
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    ...cacheArgs(scratch),
  ];
  const how = await runNpm(args, root, addHolder);
  if (how !== null) {
    throw new InstallError(
      `The packages could not be installed: npm ${command} failed with ${how}. npm's messages above say why. With ENOTFOUND, ETIMEDOUT or ` +
        'ECONNREFUSED the npm registry cannot be reached; with a code of a certificate, NODE_EXTRA_CA_CERTS names the file of its authority.',
    );
  }
  if (!enough(installedPackages(root), wanted)) {
    throw new InstallError(`npm ${command} succeeded, but packages of package-lock.json are still missing.`);
  }
  process.stderr.write(`Installed in ${((Date.now() - start) / 1000).toFixed(1)} s.\n`);
}

/** What is installed, for people. */
function describe(installed, wanted) {
  if (wanted.includes('all')) return 'all packages, including development packages';
  const uses = wanted.filter((set) => !installed.includes(set) && set in SETS).map((set) => SETS[set].use);
  const parts = installed.includes('production') ? [] : ['the production packages'];
  return [...parts, ...uses.map((use) => `the packages for ${use}`)].join(' and ');
}

function scopeArgs(installed, wanted) {
  if (wanted.includes('all')) return ['--include=dev'];
  const sets = Object.keys(SETS).filter((set) => installed.includes(set) || wanted.includes(set));
  const folders = ['cli', ...sets.map((set) => `${SETS_FOLDER}${set}`)];
  return ['--omit=dev', '--include-workspace-root', ...folders.map((folder) => `--workspace=${folder}`)];
}

/**
 * Runs the npm that started this process, or else the one on the PATH, in a process group of its own: a signal to this process
 * stops npm with all its children, before the lock is released.
 *
 * @returns {Promise<string | null>} how it failed, or null
 */
async function runNpm(args, root, addHolder) {
  const running = process.env.npm_execpath;
  const [program, first] = running?.endsWith('npm-cli.js') ? [process.execPath, [running]] : ['npm', []];
  // npm's output goes to standard error: standard output belongs to the command that runs afterwards.
  const child = spawn(program, [...first, ...args], { cwd: root, stdio: ['ignore', 2, 2], detached: true });
  if (child.pid !== undefined) addHolder(child.pid);
  let stopped = null;
  const stop = (signal) => {
    killGroup(child, stopped === null ? 'SIGTERM' : 'SIGKILL');
    stopped ??= signal;
    setTimeout(() => killGroup(child, 'SIGKILL'), STOP_WITHIN_MS).unref();
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  onOrphaned(() => stop('SIGTERM'));
  const start = Date.now();
  const progress = setInterval(() => {
    const seconds = Math.round((Date.now() - start) / 1000);
    process.stderr.write(
      `${LINE_START}Still installing after ${seconds} s${seconds < 120 ? '; without the registry npm gives up after about two minutes' : ''}.\n`,
    );
  }, PROGRESS_INTERVAL_MS);
  try {
    const how = await new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (status, signal) => resolve(status === 0 ? null : (signal ?? `status ${status}`)));
    });
    if (stopped === null) return how;
    killGroup(child, 'SIGKILL');
    throw new InstallError(
      `${LINE_START}The installation was stopped. The next start begins it again.`,
      128 + constants.signals[stopped],
    );
  } finally {
    clearInterval(progress);
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}

function killGroup({ pid }, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // All of its processes have ended.
  }
}

/** A service user without a writable home needs another folder for npm's cache. */
function cacheArgs(scratch) {
  if (process.env.npm_config_cache !== undefined && writable(process.env.npm_config_cache)) return [];
  const home = homedir();
  return writable(join(home, '.npm')) || writable(home) ? [] : [`--cache=${join(scratch, 'npm-cache')}`];
}

function writable(folder) {
  try {
    accessSync(folder, access.W_OK);
    return true;
  } catch {
    return false;
  }
}
