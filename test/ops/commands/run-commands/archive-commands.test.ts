import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { linkFile } from '../../../../engine/contract/archive.ts';
import { openArchiveWorld } from '../../../engine/ranking/archive/archive-world.ts';
import { runSeed, seededRandom } from '../../../support/seeded-random.ts';
import { useSuiteFolder } from '../../../support/temporary-folder.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { run } from '../run.ts';

describe('archive verify', () => {
  const folder = useSuiteFolder();
  const archived = useFixture(() => openArchiveWorld(folder(), seededRandom(runSeed())));

  const verify = (environment: Readonly<Record<string, string>> = {}) => {
    const { world } = archived();
    const settings = { ARCHIVE_DIR: folder(), ARCHIVE_LICENSE: 'CC-BY-4.0', ...environment };
    return run(world.database, ['archive', 'verify', '--json'], settings, world.now);
  };

  it('checks every file with what the service stores, and names the first that differs', async () => {
    await archived().nextDay(3);
    await archived().write();
    const rotated = await run(archived().world.database, ['keys', 'rotate', '--archive', '--json']);
    await archived().nextDay(3);
    await archived().write();
    expect(rotated.status).to.equal(0);
    const verified = await verify();
    expect(verified.status, verified.err).to.equal(0);
    expect(JSON.parse(verified.out)).to.deep.include({ days: 2, link: 3 });
    appendFileSync(join(folder(), linkFile(2)), ' ');
    const changed = await verify();
    expect([changed.status, changed.err]).to.satisfy(
      ([status, err]: [number, string]) => status === 1 && err.includes(linkFile(2)),
    );
  });

  it('needs the settings', async () => {
    expect((await verify({ ARCHIVE_DIR: '', ARCHIVE_LICENSE: '' })).err).to.include('ARCHIVE_DIR');
  });
});
