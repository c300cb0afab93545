import type { ChildSpec } from './process/launch.ts';

/** A database that this machine can run by itself: how to start it and what to tell people about it. */
export interface Engine {
  /** For people, such as `redis-server (/usr/bin/redis-server)`. */
  readonly title: string;
  /** Whether it came with this project's packages. */
  readonly embedded: boolean;
  /** What people must know about its data. */
  readonly keeps: string;
  readonly url: string;
  readonly child: ChildSpec;
}

/** What choosing an engine needs to know. */
export interface EngineSite {
  /** Absolute path of the folder that holds the data. */
  readonly dataDir: string;
  /** Where files that can be made again are kept. */
  readonly cacheDir: string;
  /** Variables of this process, passed on to the engine's. `PATH` is where programs are looked for. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Time an engine may take until it answers, in milliseconds: recovery of a large data folder included. */
export const ENGINE_READY_MS = 60_000;

/** Time an engine's process may take to end, in milliseconds: a little more than it gives itself. */
export const ENGINE_STOP_MS = 10_000;
