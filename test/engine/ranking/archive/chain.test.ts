import { mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { LAST_FILE, linkFile, linkOf } from '../../../../engine/contract/archive.ts';
import { readIn, recompute } from '../../../../engine/contract/recompute.mjs';
import { runSeed, seededRandom } from '../../../support/seeded-random.ts';
import { useFolder } from '../../../support/temporary-folder.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';
import { withSyncs } from '../../../support/with-syncs.ts';
import { openArchiveWorld } from './archive-world.ts';

describe('the chain of an archive', () => {
  const folder = useFolder();
  const archived = useFreshFixture(() => openArchiveWorld(folder(), seededRandom(runSeed())));

  const names = (): string[] =>
    readdirSync(folder(), { recursive: true, withFileTypes: true }).flatMap((each) => (each.isFile() ? each.name : []));
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

  it('has each file on disk before its name', async () => {
    await archived().nextDay(3);
    const synced: string[] = [];
    await withSyncs(
      () => void synced.push(...names()),
      () => archived().write(),
    );
    expect(names()).to.include(LAST_FILE);
    expect(synced).to.include.members(names().map((name) => `${name}.new`));
  });
});
