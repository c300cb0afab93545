import { spawn } from 'node:child_process';
import { lstatSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onOrphaned } from './on-orphaned.mjs';

/** Time from SIGTERM until the program is killed, in milliseconds. */
const STOP_WITHIN_MS = 30_000;

/**
 * Runs a program of this project with Node and exits with its status. Signals to this process stop the program; when this
 * process is killed, the program's IPC channel closes.
 *
 * @param {string} root
 * @param {string[]} args Node's arguments: the program's file and its arguments.
 */
export function runProgram(root, args) {
  const loader = pathToFileURL(createRequire(join(root, 'package.json')).resolve('tsx')).href;
  const compiled = args.includes(join(root, 'ops/bootstrap/service.mjs'));
  const child = spawn(process.execPath, [...(compiled ? [] : ['--import', loader]), ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: isCacheOurs() ? process.env : { ...process.env, TSX_DISABLE_CACHE: '1' },
  });
  let requests = 0;
  const stop = () => {
    requests += 1;
    child.kill(requests === 1 ? 'SIGTERM' : 'SIGKILL');
    setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS).unref();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
  onOrphaned(stop);
  child.once('error', (error) => {
    process.stderr.write(`Node could not be started: ${error.message}\n`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

/** Whether only this user can write to tsx's cache of code: its known name lets another user of the machine make it first. */
function isCacheOurs() {
  const user = process.geteuid?.();
  if (user === undefined) return true;
  const folder = join(tmpdir(), `tsx-${user}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(folder);
    return uid === user && (mode & 0o022) === 0;
  } catch {
    return false;
  }
}
