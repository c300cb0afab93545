import { watch } from 'node:fs';
import { join } from 'node:path';
import type { RestartPolicy, Supervised } from '../process/supervise.ts';

/** Folders of the sources that services run. */
const FOLDERS = ['api', 'config', 'engine', 'ops/runtime', 'workers'];

/** Restarts wait until no file changed for this long, in milliseconds: editors write several files. */
const SETTLED_MS = 200;

/** Restarts without limit: a service with an error in its sources is retried at growing intervals. */
export const DEVELOPMENT_POLICY: RestartPolicy = {
  maxEnds: Number.POSITIVE_INFINITY,
  windowMs: 5_000,
  backoffMs: 250,
};

/** Restarts services whenever a TypeScript source below `root` changes. Returns a function that stops watching. */
export function restartOnChange(root: string, services: readonly Supervised[]): () => void {
  let timer: NodeJS.Timeout | undefined;
  const restart = (): void => services.forEach((service) => void service.restart());
  const watchers = FOLDERS.map((folder) =>
    watch(join(root, folder), { recursive: true }, (_, file) => {
      if (file?.endsWith('.ts') !== true) return;
      clearTimeout(timer);
      timer = setTimeout(restart, SETTLED_MS);
    }),
  );
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
