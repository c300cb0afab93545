import { expect } from 'chai';
import { HOUR_MS } from '../../../../config/units.ts';
import { readMoment } from '../../../../engine/contract/index.ts';
import type { BoardPage, BoardReader, Committer, PageRequest, PageStart } from '../../../../engine/ranking/index.ts';
import { METHODOLOGIES } from '../../../../engine/ranking/methodologies/index.ts';
import { type NaiveWindow, naiveBoard, naiveRank } from '../../../support/naive-board.ts';
import { PLAIN_METHODOLOGY } from '../../../support/plain-board.ts';
import { openRankingWorld, type RankingWorld } from '../../../support/ranking-world.ts';
import { rethrow } from '../../../support/rethrow.ts';
import { runSeed, type SeededRandom, seededRandom } from '../../../support/seeded-random.ts';

const OPERATORS = 60;
const STEPS = 120;
/** So many hours pass at most, so that all of their boards are kept. */
const HOURS = 20;
const { tiers } = METHODOLOGIES.get(PLAIN_METHODOLOGY)!;

interface Member {
  readonly operator: number;
  codename: string;
  readonly sums: { input: number; output: number; cache_read: number };
}

const yieldOf = ({ input, output, cache_read }: Member['sums']): number | null =>
  input === 0 ? null : (cache_read * output) / (input * input);

const shown = ({ rows }: BoardPage) => rows.map(({ codename, rank, yield_ }) => ({ codename, rank, yield_ }));

/** What a board showed at an hour. */
interface Kept {
  readonly at: string;
  readonly board: NaiveWindow;
}

describe('pages of a board', () => {
  const seed = runSeed();
  let world: RankingWorld;
  let committer: Committer;
  let reader: BoardReader;
  let random: SeededRandom;
  const members = new Map<number, Member>();
  const kept: Kept[] = [];

  const boardNow = (): NaiveWindow =>
    naiveBoard(new Map([...members].map(([operator, { sums }]) => [operator, [yieldOf(sums)]])), 1, tiers)[0]!;

  async function publish(): Promise<void> {
    while (await committer.tick());
    await reader.refresh();
  }

  async function submit(member: Member): Promise<void> {
    // Few different Yields: ties everywhere.
    const [input, output, cache_read] = [1, random.integer(1, 5), random.integer(0, 6)];
    member.sums.input += input;
    member.sums.output += output;
    member.sums.cache_read += cache_read;
    // Totals are cumulative.
    const entry = world.entry(member.operator, member.sums);
    const [outcome] = await world.ranking.log.append([entry]);
    if (outcome?.kind !== 'stored') throw new Error('not stored');
    await world.ranking.processBatch(outcome.batch, [entry]);
  }

  let enrolled = 0;

  async function step(): Promise<void> {
    const choice = random.integer(0, 9);
    const chosen = [...members.values()][random.integer(0, Math.max(0, members.size - 1))];
    if (chosen === undefined || (choice < 3 && members.size < OPERATORS)) {
      const codename = `paged-${enrolled++}`;
      const operator = await world.enrol(codename);
      members.set(operator, { operator, codename, sums: { input: 0, output: 0, cache_read: 0 } });
      return submit(members.get(operator)!);
    }
    if (choice < 7 || kept.length === HOURS) return submit(chosen);
    if (choice === 7) {
      const codename = `renamed-${random.integer(0, 1_000_000)}`;
      const { kind } = await world.ranking.operators.rename(chosen.operator, codename);
      if (kind === 'renamed') chosen.codename = codename;
      return;
    }
    if (choice === 8 && members.size > 20) {
      await world.ranking.operators.erase(chosen.operator);
      members.delete(chosen.operator);
      return;
    }
    await publish();
    world.now += HOUR_MS;
    await world.ranking.advanceHour();
    await publish();
    expect(await world.ranking.compactBoard()).to.equal(true);
    await reader.refresh();
    const hour = new Date(Math.floor(world.now / HOUR_MS) * HOUR_MS).toISOString();
    kept.push({ at: `${hour.slice(0, 16)}Z`, board: boardNow() });
  }

  const ask = (start: PageStart, limit = 7, at: string | null = null) =>
    reader.page({ window: 'all_time', limit, start, at: at === null ? null : readMoment(at) } satisfies PageRequest);

  async function pageOf(start: PageStart, limit = 7, at: string | null = null): Promise<BoardPage> {
    const page = await ask(start, limit, at);
    if (page.kind !== 'page') throw new Error(page.kind);
    return page;
  }

  /** Rows of a naive board as a page has them now: without operators that were erased since. */
  const expected = ({ entries }: NaiveWindow, from: number, until: number) =>
    entries.slice(Math.max(0, from), until).flatMap(({ operator, rank, yield_ }) => {
      const member = members.get(operator);
      return member === undefined ? [] : [{ codename: member.codename, rank, yield_ }];
    });

  async function check(): Promise<void> {
    const board = boardNow();
    const limit = random.integer(1, 9);
    for (let offset = 0; offset < board.total + limit; offset += limit) {
      const page = await pageOf({ offset }, limit);
      expect(shown(page), `offset ${offset}`).to.deep.equal(expected(board, offset, offset + limit));
      expect([page.total, page.offset]).to.deep.equal([board.total, offset]);
    }
    for (const [position, { operator, rank, yield_ }] of board.entries.entries()) {
      const { codename } = members.get(operator)!;
      const page = await pageOf({ around: codename.toUpperCase() }, limit);
      const first = position - Math.floor(limit / 2);
      expect(shown(page), `around ${codename}`).to.deep.equal(expected(board, first, first + limit));
      expect(page.offset).to.equal(Math.max(0, first));
      await checkStanding(board, codename, operator, { rank, yield_ });
    }
    await checkList(board);
  }

  async function checkStanding(
    board: NaiveWindow,
    without: string,
    operator: number,
    own: { readonly rank: number; readonly yield_: number },
  ): Promise<void> {
    const yield_ = random.integer(0, 1) === 0 ? own.yield_ : random.integer(0, 40);
    const standing = await reader.withBoardView((view) => view.standing({ window: 'all_time', yield_, without }));
    const others = board.entries.filter((entry) => entry.operator !== operator);
    const ahead = others.findLast((entry) => entry.yield_ > yield_);
    expect(standing).to.deep.include({ rank: naiveRank(board, yield_, operator), total_operators: board.total });
    expect(standing?.next_place?.yield_).to.equal(ahead?.yield_);
    if (ahead !== undefined) expect(standing?.next_place?.rank).to.equal(naiveRank(board, ahead.yield_, operator));
    const tier = tiers.find(({ from }) => from > yield_);
    expect(standing?.next_tier).to.include({ yield_: tier!.from, rank: naiveRank(board, tier!.from, operator) });
  }

  async function checkList(board: NaiveWindow): Promise<void> {
    const asked = [...members.values()].filter(() => random.integer(0, 2) === 0);
    const page = await pageOf({ operators: ['no-such-one', ...asked.map(({ codename }) => codename)] });
    const listed = board.entries.filter(({ operator }) => asked.some((member) => member.operator === operator));
    expect(page.rows.map(({ codename, rank, global_rank }) => ({ codename, rank, global_rank }))).to.deep.equal(
      listed.map(({ operator, rank, yield_ }) => ({
        codename: members.get(operator)!.codename,
        rank: 1 + listed.filter((other) => other.yield_ > yield_).length,
        global_rank: rank,
      })),
    );
    expect(page.notFound).to.deep.equal(['no-such-one']);
  }

  async function checkKept({ at, board }: Kept): Promise<void> {
    const limit = random.integer(1, 9);
    for (let offset = 0; offset < board.total; offset += limit) {
      const page = await pageOf({ offset }, limit, at);
      expect(shown(page), `${at} from ${offset}`).to.deep.equal(expected(board, offset, offset + limit));
      expect([page.total, page.version]).to.deep.equal([board.total, null]);
    }
    for (const { operator, codename } of members.values()) {
      const profile = await reader.keptProfile(codename, readMoment(at)!);
      expect(profile?.rank ?? null, `${codename} at ${at}`).to.equal(board.byOperator.get(operator)?.rank ?? null);
    }
  }

  before(async () => {
    world = await openRankingWorld();
    committer = world.ranking.createCommitter(() => undefined, rethrow);
    reader = await world.ranking.openBoardReader(rethrow);
    random = seededRandom(seed);
  });

  after(async () => {
    await reader.close();
    await committer.close();
    await world.close();
  });

  it(`equal the model at every offset, around everybody, in lists and at kept hours (seed ${seed})`, async () => {
    for (let made = 0; made < STEPS; made += 1) {
      await step();
      if (made % 12 !== 11) continue;
      await publish();
      await check();
    }
    expect(kept.length).to.be.at.least(1);
    for (const each of kept) await checkKept(each);
  });

  it('are not there of a moment that is not kept, of nobody, and around somebody without a rank', async () => {
    await world.enrol('never-submitted');
    await publish();
    expect(await ask({ offset: 0 }, 5, '2020-01-01')).to.deep.equal({ kind: 'not_kept' });
    expect(await ask({ around: 'no-such-one' })).to.deep.equal({ kind: 'operator_unknown' });
    expect(await ask({ around: 'never-submitted' })).to.deep.equal({
      kind: 'operator_unranked',
      codename: 'never-submitted',
      reason: 'no_tokens',
      platform: null,
      held: null,
      missing: [],
    });
    const [kept_] = await reader.withBoardView(async (view) => view.keptBoards());
    const hour = `${new Date(kept_!.at).toISOString().slice(0, 13)}:00Z`;
    expect(await ask({ around: 'never-submitted' }, 5, hour)).to.include({ reason: null });
    expect(shown(await pageOf({ offset: 2 ** 31 - 1 }))).to.deep.equal([]);
  });

  it('name the first kept board of a day, and every kept hour', async () => {
    const boards = await reader.withBoardView(async (view) => view.keptBoards());
    const hours = boards.map(({ at }) => `${new Date(at).toISOString().slice(0, 16)}Z`);
    expect(hours).to.include.members(kept.map(({ at }) => at));
    const day = hours[0]!.slice(0, 10);
    expect((await pageOf({ offset: 0 }, 5, day)).boardAt).to.equal(boards[0]!.at);
  });
});
