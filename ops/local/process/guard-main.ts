import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { runHost } from './host.ts';
import { redisCommands } from './redis-commands.ts';

/** Interval of probes whether the program responds, in milliseconds. */
const PROBE_INTERVAL_MS = 25;

/** Time from SIGTERM until the program is killed, in milliseconds. */
const STOP_WITHIN_MS = 6_000;

/**
 * Runs a third-party server (mongod, redis-server) and stops it when the parent process exits, which such a program does
 * not do: `guard-main.ts mongodb|redis PORT NAME PROGRAM ARGUMENT…`. NAME identifies it in messages.
 */
const [, , protocol = '', port = '', name = '', program = '', ...args] = process.argv;

await runHost(async () => {
  const server = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const gone = new Promise<string>((resolve) => {
    server.once('error', (error) => resolve(`could not be started: ${error.message}`));
    server.once('exit', (code, signal) => resolve(`ended (${signal ?? `status ${code}`})`));
  });
  // The program does not outlive this process, unless this process is killed.
  process.on('exit', () => server.kill('SIGKILL'));
  let wanted = true;
  await untilReady(gone);
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

/** Resolves when the program responds on its port; the parent applies the time limit. */
async function untilReady(gone: Promise<string>): Promise<void> {
  for (;;) {
    const probe = protocol === 'redis' ? redisCommands(Number(port), ['PING']) : opened(Number(port));
    const answered = probe.then(
      () => null,
      () => pause(PROBE_INTERVAL_MS, 'not yet'),
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
