import { mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { LAST_FILE, linkFile, linkOf } from '../../../../engine/contract/archive.ts';
import { readIn, recompute } from '../../../../engine/contract/recompute.mjs';
import { runSeed, seededRandom } from '../../../support/seeded-random.ts';
import { useFolder } from '../../../support/temporary-folder.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';
import { openArchiveWorld } from './archive-world.ts';

describe('the chain of an archive', () => {
  const folder = useFolder();
  const archived = useFreshFixture(() => openArchiveWorld(folder(), seededRandom(runSeed())));

  const head = (): string => readFileSync(join(folder(), LAST_FILE)).toString();
  const days = async () => (await recompute(readIn(folder()))).days.length;

  it('leads to no link that could not be written, and goes on with it once it can', async () => {
    await archived().nextDay(3);
    await archived().write();
    const before = head();
    await archived().nextDay();
    for (const file of ['keys.json', linkFile(linkOf(before).link + 1)]) {
      // No file can be made there.
      const blocked = join(folder(), `${file}.new`);
      mkdirSync(blocked, { recursive: true });
      expect(
        await archived()
          .write()
          .then(() => 'written', String),
        file,
      ).to.include('EISDIR');
      expect([head(), await days()], file).to.deep.equal([before, 1]);
      rmdirSync(blocked);
    }
    await archived().write();
    expect([linkOf(head()).link, await days()]).to.deep.equal([linkOf(before).link + 1, 2]);
  });
});
