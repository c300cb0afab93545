import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { processEnvironment } from '../../../../config/env.ts';
import { supervise } from '../../../../ops/local/process/supervise.ts';
import { eventually } from '../../../support/eventually.ts';

const ENTRY = fileURLToPath(new URL('../../../support/children/slow-child.ts', import.meta.url));
const POLICY = { endsMost: 5, windowMs: 60_000, backoffMs: 1 };

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a supervised process', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'upsilon-supervised-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  const pids = async (): Promise<number[]> =>
    (await readFile(join(folder, 'pids'), 'utf8')).trim().split('\n').map(Number);

  it('is stopped although it was about to be started again', async () => {
    const restarts: number[] = [];
    const supervised = await supervise(
      {
        name: 'slow',
        entry: ENTRY,
        args: [folder],
        env: processEnvironment(),
        readyWithinMs: 15_000,
        stopWithinMs: 5_000,
        output: 'kept',
      },
      {
        ended: () => undefined,
        restarted: (_name, pid) => restarts.push(pid),
        gaveUp: () => undefined,
      },
      POLICY,
    );
    await writeFile(join(folder, 'slow'), '');
    process.kill(supervised.pid(), 'SIGKILL');
    const second = await eventually('the next process', async () => (await pids())[1]);
    const stopped = supervised.stop();
    await writeFile(join(folder, 'go'), '');
    await stopped;
    expect(isAlive(second)).to.equal(false);
    expect(restarts).to.deep.equal([]);
  });
});
