import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { installedPackages } from './installed-packages.mjs';
import { withLock } from './with-lock.mjs';

/** The packages could not be installed. The message is for people. */
export class InstallError extends Error {
  name = 'InstallError';
}

/**
 * Installs the packages of `package-lock.json` unless they are installed. Never removes development packages from a valid
 * installation.
 *
 * @param {string} root
 * @param {'production' | 'all'} wanted
 */
export function ensureDependencies(root, wanted) {
  if (enough(installedPackages(root), wanted)) return;
  if (!writable(root)) {
    throw new InstallError(
      `The packages have to be installed, but ${userInfo().username} may not write to ${root}.\n` +
        'Run "npm ci" there as a user with write access, or use a copy of the project that you own.',
    );
  }
  const scratch = join(root, '.data');
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  withLock(join(scratch, 'install.lock'), () => {
    if (enough(installedPackages(root), wanted)) return;
    install(root, wanted, scratch);
  });
}

function enough(installed, wanted) {
  return installed === 'all' || installed === wanted;
}

function install(root, wanted, scratch) {
  const what = wanted === 'all' ? 'all packages, including development packages' : 'the production packages';
  process.stderr.write(`Installing ${what} (npm ci; needed once and after changes of package-lock.json) …\n`);
  const start = Date.now();
  const scope = wanted === 'all' ? ['--include=dev'] : ['--omit=dev'];
  const args = [
    'ci',
    ...scope,
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    ...cacheArgs(scratch),
  ];
  // npm's output goes to standard error: standard output belongs to the command that runs afterwards.
  const { status, signal, error } = npm(args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    const how = error === undefined ? (signal ?? `status ${status}`) : error.message;
    throw new InstallError(
      `The packages could not be installed: npm ci failed with ${how}. Is the npm registry reachable?`,
    );
  }
  if (!enough(installedPackages(root), wanted)) {
    throw new InstallError('npm ci succeeded, but packages of package-lock.json are still missing.');
  }
  process.stderr.write(`Installed in ${((Date.now() - start) / 1000).toFixed(1)} s.\n`);
}

/** Runs the npm that started this process, or else the one on the PATH. */
function npm(args, options) {
  const running = process.env.npm_execpath;
  if (running !== undefined && running.endsWith('npm-cli.js'))
    return spawnSync(process.execPath, [running, ...args], options);
  return spawnSync('npm', args, options);
}

/** A service user without a writable home needs another folder for npm's cache. */
function cacheArgs(scratch) {
  if (process.env.npm_config_cache !== undefined && writable(process.env.npm_config_cache)) return [];
  const home = homedir();
  return writable(join(home, '.npm')) || writable(home) ? [] : [`--cache=${join(scratch, 'npm-cache')}`];
}

function writable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
