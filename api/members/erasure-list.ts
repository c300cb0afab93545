import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Erasure } from '../../engine/accounts/index.ts';

/** Appends erasures to a file, without personal data. `ops erasures replay` repeats them after a backup was restored. */
export function createErasureList(path: string): (erasure: Erasure) => Promise<void> {
  return async (erasure) => {
    await mkdir(dirname(path), { recursive: true });
    await appendFile(path, `${JSON.stringify(erasure)}\n`, { mode: 0o600, flush: true });
  };
}
