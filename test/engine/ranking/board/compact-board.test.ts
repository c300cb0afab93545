import { expect } from 'chai';
import { DAY_MS, HOUR_MS } from '../../../../config/units.ts';
import { isCompactionDue } from '../../../../engine/ranking/board/compact-board.ts';
import { segmentsAfter, stateOf } from '../../../../engine/ranking/read/board-state.ts';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import { makeVictim } from '../../../faults/victim.ts';
import { entriesOn } from '../../../support/board-entries.ts';
import { committerOf, submitBatch } from '../../../support/open-engine.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';

const HOUR = 540_000;

/** A board of HOUR with a last kept base run of hour `kept`, `slots` slots, and `size` operators in the delta. */
function boardOf(kept: number | null, slots: number, size: number) {
  const history = kept === null ? [] : [{ base: 'base', hour: kept, methodology: 1 }];
  return { manifest: { hour: HOUR, history }, base: { slots }, delta: { size } };
}

describe('isCompactionDue', () => {
  const SIZES = [
    { slots: 0, max: 20_000 },
    { slots: 200_000, max: 20_000 },
    { slots: 200_010, max: 20_001 },
    { slots: 1_000_000, max: 100_000 },
    { slots: 10_000_000, max: 2_350_000 },
  ];

  for (const { slots, max } of SIZES) {
    it(`allows ${max} operators in the delta of a base run of ${slots} slots, and no more`, () => {
      expect(isCompactionDue(boardOf(HOUR, slots, max))).to.equal(false);
      expect(isCompactionDue(boardOf(HOUR, slots, max + 1))).to.equal(true);
    });
  }

  it('requires a base run of every hour, even with an empty delta', () => {
    expect(isCompactionDue(boardOf(null, 10, 0))).to.equal(true);
    expect(isCompactionDue(boardOf(HOUR - 1, 10, 0))).to.equal(true);
    expect(isCompactionDue(boardOf(HOUR, 10, 0))).to.equal(false);
  });
});

describe('a compaction', () => {
  const world = useFreshFixture(openRankingWorld);

  async function submit(operator: number, output: number): Promise<void> {
    const entry = world().entry(operator, { input: 1, output, cache_read: 1 });
    await submitBatch(world().ranking, [entry]);
  }

  /** The hours of the kept boards, counted from the first. */
  async function keptHours(): Promise<number[]> {
    const { history } = (await openStores(world().connection).board.read())!;
    return history.map(({ hour }) => hour - history[0]!.hour);
  }

  it('is started by a committer in every hour', async () => {
    const committer = committerOf(world().ranking);
    for (let hours = 0; hours < 2; hours++) {
      world().now += HOUR_MS;
      await committer.tick();
      await committer.close();
    }
    expect(await keptHours()).to.deep.equal([0, 1, 2]);
  });

  it('drops kept boards older than 25 hours, except the first of each day', async () => {
    const { board } = openStores(world().connection);
    const manifest = (await board.read())!;
    const [kept] = manifest.history;
    const history = Array.from({ length: 49 }, (_, hours) => ({ ...kept!, hour: kept!.hour + hours - 48 }));
    await board.advance(manifest, { history });
    world().now += HOUR_MS;
    const committer = committerOf(world().ranking);
    await committer.tick();
    await committer.close();
    // The board is at 11:00: that hour, 24 hours before it, and the first kept board of each of the two days before.
    expect((await board.read())!.history.map(({ hour }) => hour - kept!.hour)).to.deep.equal([
      -48,
      -34,
      ...Array.from({ length: 25 }, (_, hours) => hours - 23),
    ]);
  });

  it('keeps its base run for the hour it was built from, although the hour advanced meanwhile', async () => {
    const operator = await world().enrol('compacted-slowly');
    const slow = makeVictim(world(), { at: 'compact.pages_written' });
    const next = makeVictim(world(), { at: 'compact.table_read' });
    const closing: Promise<void>[] = [];
    for (const victim of [slow, next]) {
      world().now += HOUR_MS;
      await submit(operator, closing.length + 1);
      const committer = committerOf(victim.engine);
      await committer.tick();
      // Waits for the compaction that the commit started.
      const closed = committer.close();
      await victim.reachedBy(closed);
      closing.push(closed);
    }
    slow.wake();
    await closing[0];
    expect(await keptHours()).to.deep.equal([0, 1]);
    next.wake();
    await closing[1];
    expect(await keptHours()).to.deep.equal([0, 1, 2]);
  });

  it('keeps no board that is a day old when its compaction ends: movements of that hour are measured without it', async () => {
    const victim = makeVictim(world(), { at: 'compact.pages_written' });
    const committer = committerOf(victim.engine);
    world().now += HOUR_MS;
    await submit(await world().enrol('compacted-for-a-day'), 5);
    await committer.tick();
    const closed = committer.close();
    await victim.reachedBy(closed);
    world().now += DAY_MS;
    await world().ranking.advanceHour();
    await committer.tick();
    victim.wake();
    await closed;
    expect(await keptHours()).to.deep.equal([0]);
    await committer.tick();
    await committer.close();
    expect(await keptHours()).to.deep.equal([0, 25]);
  });

  it('gives a reader of the former version no segments to read', async () => {
    const { board, parts } = openStores(world().connection);
    await submit(await world().enrol('followed'), 5);
    const committer = committerOf(world().ranking);
    await committer.tick();
    await committer.close();
    const former = (await stateOf(parts, (await board.read())!, null))!;
    expect(await world().ranking.compactBoard()).to.equal(true);
    const manifest = (await board.read())!;
    expect(manifest.base).to.not.equal(former.base.id);
    expect(segmentsAfter(manifest, (await parts.base(manifest.base))!, former)).to.deep.equal([]);
  });

  it('does not publish its unchanged base run after another one was published', async () => {
    world().now += HOUR_MS;
    const committer = committerOf(world().ranking);
    // The delta is empty: the compaction would keep the base run.
    const slow = makeVictim(world(), { at: 'compact.state_read' });
    const work = slow.engine.compactBoard();
    await slow.reachedBy(work);
    const codenames = ['in-the-next-base', 'after-the-next-base'];
    for (const [index, codename] of codenames.entries()) {
      await submit(await world().enrol(codename), 10 - index);
      await committer.tick();
      await committer.close();
    }
    slow.wake();
    expect(await work).to.equal(true);
    const reader = await world().ranking.openBoardReader(() => undefined);
    expect((await entriesOn(reader, 'all_time', 0, 9)).map(({ codename }) => codename)).to.deep.equal(codenames);
    await reader.close();
  });

  for (const [what, output] of [
    ['changes', 5],
    ['no change', null],
  ] as const) {
    it(`keeps the board of an hour with ${what} once, although two processes compact it`, async () => {
      const slow = makeVictim(world(), { at: 'compact.state_read' });
      const committer = committerOf(slow.engine);
      world().now += HOUR_MS;
      if (output !== null) await submit(await world().enrol('compacted-twice'), output);
      await committer.tick();
      const closed = committer.close();
      await slow.reachedBy(closed);
      expect(await world().ranking.compactBoard()).to.equal(true);
      expect(await keptHours()).to.deep.equal([0, 1]);
      slow.wake();
      await closed;
      expect(await keptHours()).to.deep.equal([0, 1]);
    });
  }

  it('keeps the first base run of an hour, and no later one of that hour', async () => {
    const { board } = openStores(world().connection);
    const operator = await world().enrol('sorted-again');
    const kept: string[] = [(await board.read())!.base];
    for (const hours of [0, 0, 1, 0]) {
      world().now += hours * HOUR_MS;
      await submit(operator, world().now + kept.length);
      const committer = committerOf(world().ranking);
      while (await committer.tick());
      await committer.close();
      expect(await world().ranking.compactBoard()).to.equal(true);
      const manifest = (await board.read())!;
      if (hours > 0) kept.push(manifest.history.at(-1)!.base);
      expect(manifest.history.map(({ base }) => base)).to.deep.equal(kept);
    }
    const { history, base } = (await board.read())!;
    expect(history.map(({ hour }) => hour - history[0]!.hour)).to.deep.equal([0, 1]);
    expect(base, 'a later base of the hour').to.not.equal(kept.at(-1));
  });
});
