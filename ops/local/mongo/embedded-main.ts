import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { superviseConnections } from '../../runtime/connections/index.ts';
import { engineBounds } from '../engine-bounds.ts';
import { runHost } from '../process/host.ts';
import { loadNativeEngine, type NativeEngine, type NativeEngineModule } from './native-engine.ts';
import { serveConnection } from './serve-connection.ts';
import { writeStorageSettings } from './storage-settings.ts';

/** How long to wait for a terminating engine to release the directory, in milliseconds. */
const DIRECTORY_WAIT_MS = 10_000;
const DIRECTORY_POLL_MS = 100;

/**
 * The embedded MongoDB in a separate process: `embedded-main.ts DIRECTORY PORT CACHE_DIR`. Listens on the loopback
 * interface, to which every local user has access: the engine has no authentication.
 */
const [, , directory = '', port = '', cacheDir = '', testMs] = process.argv;
const bounds = engineBounds(testMs);

await runHost(async () => {
  await writeStorageSettings(directory);
  const engine = await openDirectory(await loadNativeEngine(cacheDir));
  const server = createServer((socket) => serveConnection(engine, socket, bounds.messageMs));
  const connections = superviseConnections(server, bounds);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(port), '127.0.0.1', resolve);
  });
  return {
    details: {},
    close: async () => {
      server.close();
      connections.destroyExcept(() => false, 0);
      await engine.close();
    },
  };
});

/** Opens the directory. A killed engine may hold its lock for a moment; a running one holds it for good. */
async function openDirectory(native: NativeEngineModule): Promise<NativeEngine> {
  const deadline = performance.now() + DIRECTORY_WAIT_MS;
  for (;;) {
    try {
      return await native.Engine.open(directory);
    } catch (error) {
      const inUse = error instanceof Error && error.message.includes('DBPathInUse');
      if (!inUse) throw error;
      if (performance.now() > deadline) throw new Error(`${directory} is in use by another process`, { cause: error });
      await pause(DIRECTORY_POLL_MS);
    }
  }
}
