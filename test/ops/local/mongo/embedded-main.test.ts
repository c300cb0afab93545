import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { processEnvironment } from '../../../../config/env.ts';
import { freePort } from '../../../../ops/local/free-port.ts';
import { launch, type RunningChild } from '../../../../ops/local/process/launch.ts';
import { useSuiteFolder } from '../../../support/temporary-folder.ts';

const ENTRY = fileURLToPath(new URL('../../../../ops/local/mongo/embedded-main.ts', import.meta.url));
const CACHE_DIR = fileURLToPath(new URL('../../../../node_modules/.cache/upsilon', import.meta.url));

describe('the process of the embedded MongoDB', () => {
  const directory = useSuiteFolder();

  async function start(): Promise<RunningChild> {
    return launch({
      name: 'MongoDB',
      entry: ENTRY,
      args: [directory(), String(await freePort()), CACHE_DIR],
      env: processEnvironment(),
      readyWithinMs: 300_000,
      stopWithinMs: 60_000,
      output: 'kept',
    });
  }

  /** The server empties this file at the end of a clean shutdown. */
  const lock = (): Promise<string> => readFile(join(directory(), 'mongod.lock'), 'utf8');

  it('shuts the engine down on SIGTERM', async () => {
    const killed = await start();
    process.kill(killed.pid, 'SIGKILL');
    await killed.exited;
    expect(await lock(), 'after a kill').to.not.equal('');
    const stopped = await start();
    expect((await stopped.stop()).code).to.equal(0);
    expect(await lock(), 'after a stop').to.equal('');
  });
});
