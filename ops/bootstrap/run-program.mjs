import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onOrphaned } from './on-orphaned.mjs';

/** Time the program may take to end once asked, in milliseconds; then it is killed. */
const STOP_WITHIN_MS = 30_000;

/**
 * Runs a program of this project with Node, and ends as it ends. The program is told to end when this process is, by its IPC channel
 * when this process is killed, and its status becomes this process's own.
 *
 * @param {string} root
 * @param {string[]} args Node's arguments: the program's file and what it gets.
 */
export function runProgram(root, args) {
  const loader = pathToFileURL(createRequire(join(root, 'package.json')).resolve('tsx')).href;
  const compiled = args.includes(join(root, 'ops/bootstrap/service.mjs'));
  const child = spawn(process.execPath, [...(compiled ? [] : ['--import', loader]), ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  let asked = 0;
  const stop = () => {
    asked += 1;
    child.kill(asked === 1 ? 'SIGTERM' : 'SIGKILL');
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
