import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Erasure } from '../../../engine/accounts/index.ts';

/**
 * A list of erasures in a file, one JSON object a line. It names nobody. After a restore from backup it is replayed
 * (`ops erasures replay`), because the restored database has forgotten who asked to be forgotten.
 */
export function createErasureList(path: string): (erasure: Erasure) => Promise<void> {
  return async (erasure) => {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, 'a', 0o600);
    try {
      await file.appendFile(`${JSON.stringify(erasure)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
  };
}
