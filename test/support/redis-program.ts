import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { processEnvironment } from '../../config/env.ts';
import { findOnPath } from '../../ops/local/find-on-path.ts';

/** A server program of Redis, and what it needs beside it. */
export interface RedisProgram {
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Where `.ci/unpack-redis` puts Debian's. */
const UNPACKED = fileURLToPath(new URL('../../.ci/redis-server/', import.meta.url));

/** `redis-server` or `valkey-server` of this machine, or the unpacked one; null where there is none. */
export async function findRedis(): Promise<RedisProgram | null> {
  const env = processEnvironment();
  const program = await findOnPath(['redis-server', 'valkey-server'], env['PATH'] ?? '');
  if (program !== null) return { program, env };
  const unpacked = `${UNPACKED}usr/bin/redis-server`;
  const libraries = `${UNPACKED}usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`;
  return existsSync(unpacked) ? { program: unpacked, env: { ...env, LD_LIBRARY_PATH: libraries } } : null;
}
