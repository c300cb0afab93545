import { expect } from 'chai';
import { HOUR_MS } from '../../../../config/units.ts';
import { readMoment } from '../../../../engine/contract/index.ts';
import type { BoardReader, Committer, Ranking } from '../../../../engine/ranking/index.ts';
import { METHODOLOGIES, type Methodology } from '../../../../engine/ranking/methodologies/index.ts';
import { runsOf } from '../../../support/long-run.ts';
import { type NaiveWindow, naiveBoard } from '../../../support/naive-board.ts';
import { PLAIN_METHODOLOGY } from '../../../support/plain-board.ts';
import { openRankingWorld, type RankingWorld } from '../../../support/ranking-world.ts';
import { rethrow } from '../../../support/rethrow.ts';
import { runSeed, type SeededRandom, seededRandom } from '../../../support/seeded-random.ts';
import { changeMember, type LeagueMember, MEMBER_CHANGES } from './league-member.ts';

const OPERATORS = runsOf(50, 1_100);
const LEAGUES = runsOf(6, 50);
const STEPS = runsOf(160, 4_000);
/** A comparison after so many steps. */
const COMPARED_EVERY = runsOf(25, 100);
const HOURS_APART = 5;
const LARGEST = 1_000;

const PLAIN: Methodology = METHODOLOGIES.get(PLAIN_METHODOLOGY)!;
/** It does not rank operators with few tokens. */
const FLOORED: Methodology = {
  ...PLAIN,
  id: 902,
  eligibility: { minimum_tokens: 12, minimum_input: 0, minimum_input_share: 0 },
};
const KNOWN = new Map([PLAIN, FLOORED].map((each) => [each.id, each]));

interface Member extends LeagueMember {
  readonly sums: { input: number; output: number; cache_read: number };
}

interface ModelLeague {
  readonly id: string;
  revision: number;
  readonly size: number;
  readonly members: Set<number>;
  isPublic: boolean;
}

/** A board of all operators as it was at an hour. */
interface Kept {
  readonly hour: number;
  readonly yields: ReadonlyMap<number, number | null>;
}

describe('boards of leagues', function () {
  this.timeout(3_600_000);
  const seed = runSeed();
  const random: SeededRandom = seededRandom(seed);
  const members = new Map<number, Member>();
  const kept: Kept[] = [];
  const leagues: ModelLeague[] = Array.from({ length: LEAGUES }, (_, index) => {
    const size = index === 0 ? LARGEST : random.integer(1, Math.min(LARGEST, OPERATORS));
    return { id: `league-${index}`, revision: 1, size, members: new Set(), isPublic: index % 2 === 0 };
  });
  const seen = { rows: 0, hidden: 0, moved: 0, kept: 0, switches: 0 };
  let world: RankingWorld;
  let ranking: Ranking;
  let committer: Committer;
  let reader: BoardReader;
  let methodology = PLAIN;
  let named = 0;

  before(async () => {
    world = await openRankingWorld();
    ranking = world.another({ methodologies: KNOWN });
    committer = ranking.createCommitter(() => undefined, rethrow);
    reader = await ranking.openBoardReader(rethrow);
  });

  after(async () => {
    await reader.close();
    await committer.close();
    await world.close();
  });

  const isListed = ({ hidden, suspended }: Member): boolean => !hidden && !suspended;

  function yieldOf({ sums: { input, output, cache_read } }: Member): number | null {
    const isEnough = input + output + cache_read >= methodology.eligibility.minimum_tokens;
    return input === 0 || !isEnough ? null : (cache_read * output) / (input * input);
  }

  const boardOf = (yields: Iterable<readonly [number, number | null]>): NaiveWindow =>
    naiveBoard(new Map([...yields].map(([operator, yield_]) => [operator, [yield_]])), 1, PLAIN.tiers)[0]!;

  const yieldsNow = () =>
    [...members.values()].filter(isListed).map((member) => [member.operator, yieldOf(member)] as const);

  async function publish(): Promise<void> {
    while (await committer.tick());
    await reader.refresh();
  }

  async function submit(member: Member): Promise<void> {
    const { sums } = member;
    sums.input += 1;
    sums.output += random.integer(1, 5);
    sums.cache_read += random.integer(0, 6);
    const entry = world.entry(member.operator, sums);
    const [outcome] = await ranking.log.append([entry]);
    if (outcome?.kind !== 'stored') throw new Error('not stored');
    await ranking.processBatch(outcome.batch, [entry]);
  }

  async function enrol(): Promise<void> {
    const codename = `teamed-${(named += 1)}`;
    const operator = await world.enrol(codename);
    const sums = { input: 0, output: 0, cache_read: 0 };
    members.set(operator, { operator, codename, sums, hidden: false, suspended: false });
    for (const { members: joined, size } of leagues) if (joined.size < size) joined.add(operator);
    for (const league of leagues) league.revision += 1;
    await submit(members.get(operator)!);
  }

  async function nextBoard(): Promise<void> {
    await publish();
    world.now += HOURS_APART * HOUR_MS;
    await ranking.advanceHour();
    await publish();
    expect(await ranking.compactBoard()).to.equal(true);
    await reader.refresh();
    kept.push({ hour: Math.floor(world.now / HOUR_MS), yields: new Map(yieldsNow()) });
  }

  async function switchMethodology(): Promise<void> {
    await publish();
    const next = methodology === PLAIN ? FLOORED : PLAIN;
    const started = await ranking.rerank.start({ kind: 'activate', methodology: next.id });
    if (started.kind !== 'started') throw new Error(started.kind);
    await ranking.rerank.scoreRange(started.run, 0);
    expect(await ranking.rerank.finish(started.run)).to.equal('switched');
    methodology = next;
    seen.switches += 1;
    await publish();
  }

  function joinOrLeave(operator: number): void {
    const league = random.pick(leagues);
    if (league.members.has(operator)) league.members.delete(operator);
    else if (league.members.size < league.size) league.members.add(operator);
    league.revision += 1;
  }

  async function change(member: Member): Promise<void> {
    const kind = random.integer(0, 5);
    const { operator } = member;
    if (kind < MEMBER_CHANGES) return changeMember(ranking, member, kind, `renamed-${(named += 1)}`);
    if (kind > MEMBER_CHANGES) return joinOrLeave(operator);
    if (members.size < OPERATORS / 2) return;
    await ranking.operators.erase(operator);
    // Memberships go with the account, later: the board leaves out erased operators.
    members.delete(operator);
  }

  async function step(index: number): Promise<void> {
    const choice = random.integer(0, 19);
    if (members.size < 2 || (choice < 8 && members.size < OPERATORS)) return enrol();
    if (choice === 19 && index % 3 === 0) return switchMethodology();
    if (choice >= 17) return nextBoard();
    const chosen = random.pick([...members.values()]);
    if (choice >= 13) return change(chosen);
    return submit(chosen);
  }

  /** The rows of a league among Yields of all operators, in order, with the places of the board of all. */
  function expected(league: ModelLeague, yields: readonly (readonly [number, number | null])[], all: NaiveWindow) {
    const shown = new Map(
      [...league.members].flatMap((operator): [number, Member][] => {
        const member = members.get(operator);
        if (member === undefined || member.suspended || (member.hidden && league.isPublic)) return [];
        return [[operator, member]];
      }),
    );
    const { entries } = boardOf(yields.filter(([operator]) => shown.has(operator)));
    return entries.map(({ operator, ...place }) => {
      const { codename, hidden } = shown.get(operator)!;
      return { operator, codename, hidden, ...place, global_rank: hidden ? null : all.byOperator.get(operator)!.rank };
    });
  }

  async function pagesOf(league: ModelLeague, at: string | null) {
    const limit = random.integer(3, 100);
    const rows = [];
    let since: string | null = null;
    for (let offset = 0; ; offset += limit) {
      const { id, revision, isPublic } = league;
      const shape = { id, revision, isPublic, members: async () => [...league.members] };
      const moment = at === null ? null : readMoment(at);
      const page = await reader.league({ window: 'all_time', limit, offset, at: moment, league: shape });
      if (page.kind !== 'page') throw new Error(page.kind);
      rows.push(...page.rows);
      since = page.movementSince?.movement_24h_since ?? null;
      if (offset + limit >= page.total) return { rows, since, total: page.total };
    }
  }

  /** Places gained since a kept board, among those whom everybody sees. */
  function movementsSince(rows: ReturnType<typeof expected>, then: Kept): Map<number, number> {
    const now = boardOf(rows.filter(({ hidden }) => !hidden).map(({ operator, yield_ }) => [operator, yield_]));
    const former = boardOf([...now.byOperator.keys()].map((operator) => [operator, then.yields.get(operator) ?? null]));
    return new Map(former.entries.map(({ operator, rank }) => [operator, rank - now.byOperator.get(operator)!.rank]));
  }

  async function check(): Promise<void> {
    await publish();
    const all = boardOf(yieldsNow());
    const yields = [...members.values()].map((member) => [member.operator, yieldOf(member)] as const);
    for (const league of leagues) {
      const { rows, since, total } = await pagesOf(league, null);
      const wanted = expected(league, yields, all);
      expect(total).to.equal(wanted.length);
      const then = since === null ? undefined : kept.find(({ hour }) => hour === Date.parse(since) / HOUR_MS);
      if (since !== null) expect(world.now - Date.parse(since)).to.be.at.least(24 * HOUR_MS);
      const moved = then === undefined ? new Map<number, number>() : movementsSince(wanted, then);
      const shape = wanted.map(({ operator, ...row }) => {
        return { ...row, movement_24h: moved.get(operator) ?? null };
      });
      const found = rows.map(({ codename, rank, global_rank, percentile, class_tier, yield_, movement_24h }) => {
        return { codename, rank, global_rank, percentile, class_tier, yield_, movement_24h };
      });
      const sorted = shape.map(({ codename, rank, global_rank, percentile, class_tier, yield_, movement_24h }) => {
        return { codename, rank, global_rank, percentile, class_tier, yield_, movement_24h };
      });
      expect(found, `${league.id}, seed ${seed}`).to.deep.equal(sorted);
      seen.rows += found.length;
      seen.hidden += wanted.filter(({ hidden }) => hidden).length;
      seen.moved += found.filter(({ movement_24h }) => movement_24h !== null && movement_24h !== 0).length;
    }
    await checkKept();
  }

  async function checkKept(): Promise<void> {
    const recent = kept.filter(({ hour }) => hour > world.now / HOUR_MS - 24);
    const board = recent.length === 0 ? undefined : random.pick(recent);
    if (board === undefined) return;
    const league = random.pick(leagues);
    const at = `${new Date(board.hour * HOUR_MS).toISOString().slice(0, 16)}Z`;
    const { rows } = await pagesOf(league, at);
    const wanted = expected(league, [...board.yields], boardOf(board.yields));
    expect(
      rows.map(({ codename, rank, global_rank, yield_ }) => ({ codename, rank, global_rank, yield_ })),
    ).to.deep.equal(wanted.map(({ codename, rank, global_rank, yield_ }) => ({ codename, rank, global_rank, yield_ })));
    seen.kept += rows.length;
  }

  it(`are those of a naive model (seed ${seed})`, async () => {
    for (let index = 1; index <= STEPS; index += 1) {
      await step(index);
      if (index % COMPARED_EVERY !== 0) continue;
      // A board is computed again after ten seconds.
      world.now += 10_000;
      await check();
    }
    await switchMethodology();
    for (let more = 0; more < 6; more += 1) await nextBoard();
    for (const member of [...members.values()].slice(0, OPERATORS / 3)) await submit(member);
    world.now += 10_000;
    await check();
    expect(Object.entries(seen).filter(([, times]) => times === 0)).to.deep.equal([]);
  });

  it('are computed once in ten seconds, with the names of now, and without who hid or was erased', async () => {
    const [first, second] = [...members.values()].filter(isListed);
    const league = {
      id: 'small',
      revision: 1,
      members: async () => [first!.operator, second!.operator],
      isPublic: true,
    };
    const colleagues = { ...league, id: 'colleagues', isPublic: false };
    const read = async (of = league) => {
      const page = await reader.league({ window: 'all_time', limit: 10, offset: 0, at: null, league: of });
      return page.kind === 'page' ? page.rows : [];
    };
    for (const member of [first!, second!]) {
      member.sums.input += 20;
      await submit(member);
    }
    await publish();
    world.now += 10_000;
    const before = await read();
    expect(before).to.have.length(2);
    for (let more = 0; more < 9; more += 1) await submit(first!);
    expect((await read()).map(({ yield_ }) => yield_)).to.deep.equal(before.map(({ yield_ }) => yield_));
    world.now += 86_400_000;
    await read();
    const isNumbered = async () => (await read(colleagues)).map(({ global_rank }) => global_rank !== null);
    expect(await isNumbered()).to.deep.equal([true, true]);
    const { codename } = first!;
    await ranking.operators.hide(first!.operator, true);
    expect((await read()).map((row) => row.codename)).to.deep.equal([second!.codename]);
    const ofColleagues = await read(colleagues);
    expect(ofColleagues.find((row) => row.codename === codename)).to.include({ global_rank: null, movement_24h: null });
    expect(ofColleagues).to.have.length(2);
    const renamed = await ranking.operators.rename(second!.operator, 'under-a-new-name');
    if (renamed.kind === 'renamed') expect((await read())[0]).to.include({ codename: 'under-a-new-name' });
    await ranking.operators.erase(second!.operator);
    expect(await read()).to.deep.equal([]);
  });
});
