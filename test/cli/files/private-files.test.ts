import { readFileSync } from 'node:fs';
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { withLock } from '../../../cli/src/files/lock.ts';
import { readPrivateJson, writePrivateJson } from '../../../cli/src/files/private-files.ts';
import { withSyncs } from '../../support/with-syncs.ts';
import { failureOf } from '../support/parsing.ts';
import { useFolder } from '../support/temporary-folder.ts';

describe("the tool's own files", () => {
  const folder = useFolder();

  it('are replaced atomically, readable only by their owner', async () => {
    const path = join(folder(), 'settings', 'any.json');
    await writePrivateJson(path, { first: 1 });
    await writePrivateJson(path, { second: 2 });
    expect(await readPrivateJson(path)).to.deep.equal({ second: 2 });
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    expect((await stat(join(folder(), 'settings'))).mode & 0o777).to.equal(0o700);
    expect(await readdir(join(folder(), 'settings'))).to.deep.equal(['any.json']);
  });

  it('are on disk before they replace the former: a power cut leaves one of the two', async () => {
    const path = join(folder(), 'any.json');
    await writePrivateJson(path, { former: 1 });
    const atSyncs: string[] = [];
    await withSyncs(
      () => void atSyncs.push(readFileSync(path, 'utf8')),
      () => writePrivateJson(path, { latter: 2 }),
    );
    expect(atSyncs.map((text) => JSON.parse(text))).to.deep.equal([{ former: 1 }]);
  });

  it('lose the temporary files of killed runs, and none that another run is writing', async () => {
    const path = join(folder(), 'any.json');
    const [old, young, other] = ['any.json.a.tmp', 'any.json.b.tmp', 'other.json.a.tmp'];
    for (const name of [old, young, other]) await writeFile(join(folder(), name), '');
    for (const name of [old, other]) await utimes(join(folder(), name), 1, 1);
    await writePrivateJson(path, {});
    expect(await readdir(folder())).to.have.members(['any.json', young, other]);
  });

  it('are unlocked by the run that holds the lock, not by one whose lock was broken', async () => {
    const path = join(folder(), 'any.lock');
    await withLock(path, async () => undefined);
    expect(await readdir(folder())).to.deep.equal([]);
    await withLock(path, () => writeFile(path, '1 of-another-run'));
    expect(await readFile(path, 'utf8')).to.equal('1 of-another-run');
  });

  it('report a folder that cannot be created, with what to do', async () => {
    await writeFile(join(folder(), 'file'), 'in the way');
    const path = join(folder(), 'file', 'settings', 'any.json');
    for (const attempt of [writePrivateJson(path, {}), withLock(path, async () => undefined)]) {
      const failure = await failureOf(attempt);
      expect(failure).to.include({ exit: 'files', code: 'file_unwritable' });
      expect(failure).to.have.property('hint').that.includes('--config-dir');
    }
    expect(await readFile(join(folder(), 'file'), 'utf8')).to.equal('in the way');
  });
});
