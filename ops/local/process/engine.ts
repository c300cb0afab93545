import { fileURLToPath } from 'node:url';
import type { ChildSpec } from './launch.ts';

/** A database server to run on this machine. */
export interface Engine {
  /** Text for people, such as `redis-server (/usr/bin/redis-server)`. */
  readonly title: string;
  /** Whether it is one of this project's packages. */
  readonly embedded: boolean;
  /** Text for people about where and how long data are stored. */
  readonly persistence: string;
  readonly url: string;
  readonly child: ChildSpec;
}

/** Folders and environment of an engine. */
export interface EngineSite {
  /** Absolute path of the data folder. */
  readonly dataDir: string;
  /** Folder of files that can be recreated. */
  readonly cacheDir: string;
  /** Environment of the engine's process. Its `PATH` is searched for programs. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Time limit for an engine to become ready, in milliseconds, including recovery of a large data folder. */
const ENGINE_READY_MS = 60_000;

/** Time limit for an engine's process to exit, in milliseconds; longer than its internal limit. */
const ENGINE_STOP_MS = 10_000;

/** The process of an engine. `entry` is its program, as a URL. Ctrl-C does not reach it. */
export function engineChild(
  name: string,
  entry: URL,
  args: readonly string[],
  env: EngineSite['environment'],
): ChildSpec {
  return {
    name,
    entry: fileURLToPath(entry),
    args,
    env,
    readyWithinMs: ENGINE_READY_MS,
    stopWithinMs: ENGINE_STOP_MS,
    output: 'kept',
    ownGroup: true,
  };
}
