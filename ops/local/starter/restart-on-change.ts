import { watch } from 'node:fs';
import { join } from 'node:path';
import type { RestartPolicy, Supervised } from '../process/supervise.ts';

/** Folders of the sources that services run. */
const FOLDERS = ['api', 'config', 'engine', 'ops/runtime', 'workers'];

/** An editor writes several files at once: restarts wait until none changed for this long, in milliseconds. */
const SETTLED_MS = 200;

/** Restarts without an end: a source with an error is tried again, at growing intervals, until it is corrected. */
export const DEVELOPMENT_POLICY: RestartPolicy = {
  endsMost: Number.POSITIVE_INFINITY,
  windowMs: 5_000,
  backoffMs: 250,
};

/** Restarts services whenever a TypeScript source below `root` changes. Returns a function that ends this. */
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
