import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Ports are chosen below the ephemeral range (from 32,768 on Linux): an outgoing connection may take an ephemeral port at
 * any time, and a restarted server needs the same port again.
 */
const MIN_PORT = 20_000;
const MAX_PORT = 32_000;

const MAX_ATTEMPTS = 200;

/** Ports on either side of one that this process chose before, which it does not choose: services use adjacent metrics ports. */
const DISTANCE = 3;
const chosen: number[] = [];

/** The first of `count` consecutive free TCP ports of the loopback interface, other than those returned before. */
export async function freePort(count = 1): Promise<number> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const first = randomInt(MIN_PORT, MAX_PORT - count);
    if (chosen.some((port) => port > first - DISTANCE && port < first + count + DISTANCE)) continue;
    const ports = Array.from({ length: count }, (_, index) => first + index);
    const problems = await Promise.all(ports.map((port) => portProblem('127.0.0.1', port)));
    if (!problems.every((problem) => problem === null)) continue;
    chosen.push(...ports);
    return first;
  }
  throw new Error(`found no ${count} consecutive free ports from ${MIN_PORT} to ${MAX_PORT}`);
}

/** The error code of listening on a port, such as `EADDRINUSE`; null when the port is usable. */
export async function portProblem(host: string, port: number): Promise<string | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}
