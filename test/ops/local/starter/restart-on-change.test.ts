import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { restartOnChange } from '../../../../ops/local/starter/restart-on-change.ts';
import { eventually } from '../../../support/eventually.ts';
import { useSuiteFolder } from '../../../support/temporary-folder.ts';

describe('npm run dev', () => {
  const root = useSuiteFolder();
  let stop: () => void;
  const restarted: string[] = [];

  before(async () => {
    for (const folder of ['api/v1', 'config', 'engine', 'ops/runtime', 'workers']) {
      await mkdir(join(root(), folder), { recursive: true });
    }
    const services = ['api', 'worker 1'].map((name) => ({
      name,
      pid: () => 1,
      letEnd: () => undefined,
      stop: async () => undefined,
      restart: async () => void restarted.push(name),
    }));
    stop = restartOnChange(root(), services);
  });

  after(() => stop());

  it('restarts every service once when sources change, and for nothing else', async () => {
    await writeFile(join(root(), 'api/notes.txt'), 'no source');
    await writeFile(join(root(), 'api/v1/one.ts'), 'export {};');
    await writeFile(join(root(), 'workers/two.ts'), 'export {};');
    await eventually('a restart', async () => restarted.length >= 2);
    expect(restarted).to.deep.equal(['api', 'worker 1']);
  });
});
