import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Ports are picked below those that systems give to outgoing connections (from 32,768 on Linux): one of these may be
 * taken by a connection at any moment, which matters to a server that has to come back at the same port.
 */
const MIN_PORT = 20_000;
const MAX_PORT = 32_000;

/** Ports that are tried before there seems to be none. */
const TRIES = 200;

/** The first of `count` TCP ports in a row on which nobody listens on the loopback interface at this moment. */
export async function freePort(count = 1): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const first = randomInt(MIN_PORT, MAX_PORT - count);
    const ports = Array.from({ length: count }, (_, index) => first + index);
    const problems = await Promise.all(ports.map((port) => portProblem('127.0.0.1', port)));
    if (problems.every((problem) => problem === null)) return first;
  }
  throw new Error(`no ${count} free ports in a row from ${MIN_PORT} to ${MAX_PORT}`);
}

/** Why this process could not listen on a port: a code such as `EADDRINUSE`, or null when it can. */
export async function portProblem(host: string, port: number): Promise<string | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}
