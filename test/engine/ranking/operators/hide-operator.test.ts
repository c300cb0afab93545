import { expect } from 'chai';
import { createConnection } from 'mongoose';
import { DAY_MS, HOUR_MS } from '../../../../config/units.ts';
import type { BoardReader, OffBoards } from '../../../../engine/ranking/index.ts';
import { committerOf, submitBatch } from '../../../support/open-engine.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { rethrow } from '../../../support/rethrow.ts';
import { seededRandom } from '../../../support/seeded-random.ts';
import { useFixture } from '../../../support/use-fixture.ts';

/** From the highest Yield to the lowest. */
const CODENAMES = ['first-one', 'middle-one', 'last-one'] as const;

describe('an operator that hides its row', () => {
  const world = useFixture(openRankingWorld);
  const committer = useFixture(() => committerOf(world().ranking));
  const reader = useFixture((): Promise<BoardReader> => world().ranking.openBoardReader(rethrow));
  let operators: readonly number[];

  before(async () => {
    operators = await Promise.all(CODENAMES.map((codename) => world().enrol(codename)));
    for (const [place, operator] of operators.entries()) await submit(operator, 10 - place);
    await published();
  });

  beforeEach(() => {
    world().now += DAY_MS;
  });

  const submit = (operator: number, output: number) =>
    submitBatch(world().ranking, [world().entry(operator, { input: 1, output, cache_read: 10 })]);
  const hide = (operator: number, hidden = true) => world().ranking.operators.hide(operator, hidden);

  /** The codenames on the board after all due commits, and the ranked and the listed operators. */
  async function published() {
    while (await committer().tick());
    await reader().refresh();
    const { topEntries, totals } = reader().view();
    const listed = await world().ranking.operators.countListed();
    return { codenames: topEntries.all_time.map(({ codename }) => codename), total: totals.all_time, listed };
  }

  it('is off the board and counted nowhere from the next version on, and comes back to its rank', async () => {
    const [, middle] = operators;
    expect(await hide(middle!)).to.deep.equal({ kind: 'changed' });
    expect(await published()).to.deep.equal({ codenames: ['first-one', 'last-one'], total: 2, listed: 2 });
    expect(await reader().profile('last-one')).to.deep.include({ rank: 2 });
    expect(await reader().profile('middle-one')).to.equal(null);
    world().now += DAY_MS;
    expect(await hide(middle!, false)).to.deep.equal({ kind: 'changed' });
    expect(await published()).to.deep.equal({ codenames: [...CODENAMES], total: 3, listed: 3 });
    expect(await reader().profile('middle-one')).to.deep.include({ rank: 2 });
  });

  it('goes on submitting, and sees what its row would be', async () => {
    const [, , last] = operators;
    await hide(last!);
    await published();
    await submit(last!, 100);
    expect(await published()).to.deep.include({ codenames: ['first-one', 'middle-one'], total: 2 });
    const own = await reader().withBoardView((board) => board.ownProfile(last!));
    expect(own).to.deep.include({ codename: 'last-one', rank: 1, yield_: 1_000 });
    world().now += DAY_MS;
    await hide(last!, false);
    expect((await published()).codenames).to.deep.equal(['last-one', 'first-one', 'middle-one']);
  });

  it('moves those behind it up, and down again when it returns', async () => {
    const moves = async () => {
      const { windows } = (await reader().profile('middle-one'))!;
      return [windows.all_time.rank, windows.all_time.movement_24h];
    };
    const keptAfterADay = async () => {
      for (const passed of [HOUR_MS, DAY_MS]) {
        await world().ranking.rebuildBoard();
        world().now += passed;
        await world().ranking.advanceHour();
        await published();
      }
    };
    await keptAfterADay();
    const [rank] = await moves();
    expect(await moves()).to.deep.equal([rank, 0]);
    const leader = (await world().ranking.operators.find(reader().view().topEntries.all_time[0]!.codename))!.operator;
    await hide(leader);
    await published();
    expect(await moves()).to.deep.equal([rank! - 1, 1]);
    await keptAfterADay();
    await hide(leader, false);
    await published();
    expect(await moves()).to.deep.equal([rank, -1]);
  });

  it('changes that at most once a day, however many ask at once', async () => {
    const [first] = operators;
    const kinds = async (hidden: boolean) => {
      const all = await Promise.all(Array.from({ length: 8 }, () => hide(first!, hidden)));
      return all.map(({ kind }) => kind).toSorted();
    };
    const once = ['changed', ...Array.from({ length: 7 }, () => 'unchanged')];
    expect(await kinds(true)).to.deep.equal(once);
    world().now += DAY_MS - 1;
    expect(await kinds(true), 'what is so already').to.deep.equal(Array.from({ length: 8 }, () => 'unchanged'));
    const next = new Date(world().now + 1).toISOString();
    expect(await hide(first!, false)).to.deep.include({ kind: 'limit', waitMs: 1 });
    expect(await hide(first!, false))
      .to.have.property('detail')
      .that.includes(next);
    world().now += 1;
    expect(await kinds(false)).to.deep.equal(once);
  });

  it('is on the boards while nothing else takes it off: unlisting, suspension and hiding do not end each other', async () => {
    const random = seededRandom(11);
    const [first] = operators;
    const { amend, byNumber } = world().ranking.operators;
    const reasons = new Set<OffBoards>();
    const change: Record<OffBoards, (applies: boolean) => Promise<unknown>> = {
      hidden: (applies) => hide(first!, applies),
      unlisted: (applies) => amend(first!, { listed: !applies }),
      suspended: (applies) => amend(first!, { suspended: applies }),
    };
    for (let step = 0; step < 60; step += 1) {
      world().now += DAY_MS;
      const reason = random.pick(['hidden', 'unlisted', 'suspended'] as const);
      const applies = random.integer(0, 1) === 1;
      await change[reason](applies);
      reasons[applies ? 'add' : 'delete'](reason);
      const { listed, offBoards } = (await byNumber(first!))!;
      expect({ listed, offBoards: [...offBoards].toSorted() }).to.deep.equal({
        listed: reasons.size === 0,
        offBoards: [...reasons].toSorted(),
      });
      expect(await world().ranking.operators.suspended()).to.deep.equal(reasons.has('suspended') ? [first] : []);
    }
    for (const each of Object.values(change)) await each(false);
  });

  it('is read by the same commands as an unknown codename', async () => {
    const connection = await createConnection(world().database.mongoUrl, { monitorCommands: true }).asPromise();
    const engine = world().another({ connection });
    const own = await engine.openBoardReader(rethrow);
    try {
      const commands: string[] = [];
      connection.getClient().on('commandStarted', ({ commandName, command }) => {
        const on = String(command[commandName]);
        if (on !== 'board_manifests') commands.push(`${commandName} ${on} ${JSON.stringify(command['projection'])}`);
      });
      const [first] = operators;
      await hide(first!);
      await published();
      await own.refresh();
      const at = { from: 0, until: Math.floor(world().now / HOUR_MS) };
      const page = { window: 'all_time', limit: 10, at: null } as const;
      const reads = (codename: string): readonly (() => Promise<unknown>)[] => [
        () => own.profile(codename),
        () => own.keptProfile(codename, at),
        () => own.history(codename, '30d'),
        () => own.neighbours(codename, 'all_time', 3),
        () => own.page({ ...page, start: { around: codename } }),
        () => own.page({ ...page, at, start: { around: codename } }),
        () => own.page({ ...page, platform: 'codex', start: { around: codename } }),
        () => own.page({ ...page, start: { operators: [codename, 'last-one'] } }),
        () => own.withBoardView((board) => board.standing({ window: '7d', yield_: 5, without: codename })),
        () => own.withBoardView((board) => board.simulate(codename, '7d', [])),
        () => own.withBoardView((board) => board.codenamesLike(codename, 3)),
        () => engine.operators.explain(codename),
      ];
      const made = async (read: () => Promise<unknown>) => {
        await read();
        return commands.splice(0);
      };
      commands.splice(0);
      for (const [index, read] of reads('first-one').entries()) {
        // The first read of a kept board loads it.
        await made(reads('nobody-at')[index]!);
        const unknown = await made(reads('nobody-at')[index]!);
        expect(await made(read), String(read)).to.deep.equal(unknown).and.not.be.empty;
      }
    } finally {
      await own.close();
      await connection.close();
    }
  });

  it('leaves nothing of it behind when it is erased', async () => {
    const operator = await world().enrol('leaver');
    await hide(operator);
    await world().ranking.operators.erase(operator);
    expect(await hide(operator, false)).to.deep.equal({ kind: 'gone' });
    expect(await reader().withBoardView((board) => board.ownProfile(operator))).to.equal(null);
    const stored = await world().connection.collection<{ _id: number }>('operators').findOne({ _id: operator });
    expect(stored).to.not.have.any.keys('off_boards', 'hiding_at');
  });
});
