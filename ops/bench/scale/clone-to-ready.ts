import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { processEnvironment } from '../../../config/env.ts';
import { MS_PER_SECOND } from '../../../config/units.ts';
import { freePort } from '../../local/free-port.ts';
import type { BenchContext } from '../frame/bench.ts';
import { timed } from '../frame/statistics.ts';
import { extract, THIS_TREE, type Tree } from '../frame/trees.ts';

const LIMIT_MS = 5 * 60_000;
const POLL_MS = 50;

/**
 * Seconds from a fresh copy of a tree's commit to the first leaderboard of `npm start`, with npm's cache as it is: installation,
 * compilation and engines included.
 */
export async function cloneToReady(context: BenchContext, tree: Tree): Promise<number> {
  const folder = join(context.dataDir, 'clone');
  extract(THIS_TREE.root, tree === THIS_TREE ? 'HEAD' : tree.name, folder);
  const port = await freePort();
  const env = { PORT: String(port), METRICS_PORT: String(await freePort(2)), DATA_DIR: join(folder, '.data') };
  const child = spawn(process.execPath, ['ops/bootstrap.mjs', 'start'], {
    cwd: folder,
    env: { ...processEnvironment(), ...env },
    stdio: 'ignore',
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
  };
  context.onClose(stop);
  const { ms } = await timed(() => answers(child, `http://127.0.0.1:${port}/api/v1/leaderboard`));
  await stop();
  await rm(folder, { recursive: true, force: true });
  return ms / MS_PER_SECOND;
}

async function answers(child: ChildProcess, url: string): Promise<void> {
  for (const until = performance.now() + LIMIT_MS; performance.now() < until; await pause(POLL_MS)) {
    if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}`);
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
  }
  throw new Error('npm start does not become ready');
}
