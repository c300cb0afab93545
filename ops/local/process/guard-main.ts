import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { redisCommands } from '../redis/redis-commands.ts';
import { runHost } from './host.ts';

/** Between two looks at whether the program answers, in milliseconds. */
const PROBE_EVERY_MS = 25;

/** Time the program may take to end once asked, in milliseconds; then it is killed. */
const STOP_WITHIN_MS = 6_000;

/**
 * Keeps a foreign server program (mongod, redis-server) no longer than the process that wants it, which such a program
 * cannot do by itself: `guard-main.ts mongodb|redis PORT NAME PROGRAM ARGUMENT…`. Messages call it by NAME.
 */
const [, , protocol = '', port = '', name = '', program = '', ...args] = process.argv;

await runHost(async () => {
  const server = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const gone = new Promise<string>((resolve) => {
    server.once('error', (error) => resolve(`could not be started: ${error.message}`));
    server.once('exit', (code, signal) => resolve(`ended (${signal ?? `status ${code}`})`));
  });
  // However this process ends, short of being killed, the program does not outlive it.
  process.on('exit', () => server.kill('SIGKILL'));
  let wanted = true;
  await answers(gone);
  void gone.then((how) => {
    if (!wanted) return;
    process.stderr.write(`${name} ${how}\n`);
    process.exit(1);
  });
  return {
    details: { server: server.pid },
    close: async () => {
      wanted = false;
      await stop(server, gone);
    },
  };
});

/** Resolves when the program answers on its port; the parent's patience is the time limit. */
async function answers(gone: Promise<string>): Promise<void> {
  for (;;) {
    const probe = protocol === 'redis' ? redisCommands(Number(port), ['PING']) : opened(Number(port));
    const answered = probe.then(
      () => null,
      () => pause(PROBE_EVERY_MS, 'not yet'),
    );
    const outcome = await Promise.race([answered, gone]);
    if (outcome === null) return;
    if (outcome !== 'not yet') throw new Error(`${name} ${outcome}`);
  }
}

async function opened(onPort: number): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port: onPort });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
  } finally {
    socket.destroy();
  }
}

async function stop(server: ChildProcess, gone: Promise<string>): Promise<void> {
  server.kill('SIGTERM');
  const timer = setTimeout(() => server.kill('SIGKILL'), STOP_WITHIN_MS);
  await gone;
  clearTimeout(timer);
}
