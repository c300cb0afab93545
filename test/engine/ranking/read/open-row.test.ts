import { expect } from 'chai';
import type { LogEntry } from '../../../../engine/ranking/index.ts';
import { makeVictim } from '../../../faults/victim.ts';
import { submitBatch } from '../../../support/open-engine.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { rethrow } from '../../../support/rethrow.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';

const WHO = 'glass-house';

describe('a page of an open row', () => {
  const world = useFreshFixture(openRankingWorld);
  const operator = useFreshFixture(() => world().enrol(WHO));

  beforeEach(async () => {
    await world().ranking.operators.amend(operator(), { open: true });
  });

  async function submit(output: number): Promise<LogEntry> {
    const entry = world().entry(operator(), { input: 1, output, cache_read: 1 });
    await submitBatch(world().ranking, [entry]);
    return entry;
  }

  /** The page, while `change` happens after the log was read. */
  async function readDuring(change: () => Promise<unknown>) {
    const victim = makeVictim(world(), { at: 'open_row.log_read' });
    const reader = await victim.engine.openBoardReader(rethrow);
    const work = reader.withBoardView((board) => board.openRow(WHO, null));
    await victim.reachedBy(work);
    await change();
    victim.wake();
    const found = await work;
    await reader.close();
    return found?.page;
  }

  /** The outputs that its snapshots state, its total, and how many snapshots it leaves out. */
  async function outputsDuring(change: () => Promise<unknown>) {
    const page = (await readDuring(change))!;
    const stated = page.snapshots.map(({ payload }): number => JSON.parse(payload).output);
    return { stated, total: page.windows.all_time.output, left_out: page.left_out };
  }

  it('has the log and the totals of one moment when a snapshot is counted meanwhile', async () => {
    await submit(5);
    const { stated, ...rest } = await outputsDuring(() => submit(8));
    expect(stated).to.have.members([5, 8]);
    expect(rest).to.deep.equal({ total: 8, left_out: 0 });
  });

  it('has the log and the totals of one moment when a snapshot is voided meanwhile', async () => {
    await submit(5);
    const { jti } = await submit(8);
    const found = await outputsDuring(() => world().ranking.repair.void(operator(), { jti }));
    expect(found).to.deep.equal({ stated: [5], total: 5, left_out: 1 });
  });

  it('is none when its operator is erased meanwhile', async () => {
    await submit(5);
    expect(await readDuring(() => world().ranking.operators.erase(operator()))).to.equal(undefined);
  });
});
