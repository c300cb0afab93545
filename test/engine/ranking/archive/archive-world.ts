import { rm } from 'node:fs/promises';
import { DAY_MS, HOUR_MS } from '../../../../config/units.ts';
import { createAccounts } from '../../../../engine/accounts/index.ts';
import { type ArchiveTarget, type Ranking } from '../../../../engine/ranking/index.ts';
import { committerOf, submitBatch } from '../../../support/open-engine.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import type { SeededRandom } from '../../../support/seeded-random.ts';

/** A ranking world whose boards are archived in a folder, day by day. */
export async function openArchiveWorld(dir: string, random: SeededRandom) {
  const world = await openRankingWorld();
  const { archiveKeys } = createAccounts({ connection: world.connection, clock: () => world.now });
  const target: ArchiveTarget = {
    dir,
    license: 'CC-BY-4.0',
    days: 400,
    service: 'https://board.example',
    keys: archiveKeys,
  };
  const operators: number[] = [];

  /** Enrols some operators, and submits for all; some of the Yields are equal. */
  async function submit(enrolled: number): Promise<void> {
    const former = operators.length;
    for (let count = 0; count < enrolled; count++) operators.push(await world.enrol(`archived-${operators.length}`));
    const entries = operators
      .filter((_, index) => index >= former || random.next() < 0.7)
      .map((operator) => {
        const grown = Math.floor(world.now / HOUR_MS) * 1_000;
        const [output, cache_read] = [grown + random.pick([1, random.integer(1, 1e6)]), grown * random.integer(1, 3)];
        return world.entry(operator, { input: 1_234_567 + (operator % 3), output, cache_read });
      });
    if (entries.length > 0) await submitBatch(world.ranking, entries);
  }

  return {
    world,
    target,
    archiveKeys,
    operators,
    submit,
    /** Lets a day pass, with a board of its first hours; `days` without a board in between. */
    async nextDay(enrolled = 1, days = 1): Promise<void> {
      world.now += days * DAY_MS;
      await submit(enrolled);
      await world.ranking.advanceHour();
      const committer = committerOf(world.ranking);
      while (await committer.tick());
      await committer.close();
      if (!(await world.ranking.compactBoard())) throw new Error('the board was not compacted');
    },
    write: (ranking: Ranking = world.ranking) => ranking.archive.write(target),
    async close(): Promise<void> {
      await rm(dir, { recursive: true, force: true });
      await world.close();
    },
  };
}
