import { expect } from 'chai';
import { DAY_MS, HOUR_MS } from '../../../../config/units.ts';
import type { BoardReader, LogEntry, Ranking } from '../../../../engine/ranking/index.ts';
import { METHODOLOGIES } from '../../../../engine/ranking/methodologies/index.ts';
import { runsOf } from '../../../support/long-run.ts';
import { naiveBoard } from '../../../support/naive-board.ts';
import { PLAIN_METHODOLOGY } from '../../../support/plain-board.ts';
import { openRankingWorld, type RankingWorld } from '../../../support/ranking-world.ts';
import { rethrow } from '../../../support/rethrow.ts';
import { runSeed, seededRandom } from '../../../support/seeded-random.ts';
import { changeMember, type LeagueMember, MEMBER_CHANGES } from './league-member.ts';

const SEASONS = runsOf(2, 40);
const STEPS = runsOf(40, 200);
const OPERATORS = 14;
const { tiers } = METHODOLOGIES.get(PLAIN_METHODOLOGY)!;

const STREAMS = [
  { stream: 'ledger-one', platform: 'codex' },
  { stream: 'ledger-two', platform: 'claude-code' },
] as const;

/** Counts that a stream stated: input, output, cache reads. */
interface Received {
  readonly stream: string;
  readonly at: number;
  readonly hour: number;
  readonly counts: readonly number[];
}

interface Member extends LeagueMember {
  /** What each stream has come to, and what was processed of it. */
  readonly sums: Map<string, number[]>;
  readonly received: Received[];
}

interface League {
  readonly id: string;
  revision: number;
  readonly members: Set<number>;
  readonly isPublic: boolean;
}

/** The tokens by which a stream grew on days of receipt, of those that are dated to the day or the two before it. */
function growthOf(received: readonly Received[], from: number, until: number): number[] {
  const places = received.map(({ at, hour, counts }) => {
    const day = Math.floor(at / DAY_MS);
    return { place: 2 * day + (hour >= (day - 2) * 24 ? 1 : 0), counts };
  });
  const reached = (last: number, field: number): number =>
    Math.max(0, ...places.filter(({ place }) => place <= last).map(({ counts }) => counts[field]!));
  return [0, 1, 2].map((field) => {
    let sum = 0;
    for (let day = from; day < until; day += 1) sum += reached(2 * day + 1, field) - reached(2 * day, field);
    return sum;
  });
}

describe('seasons of leagues', function () {
  this.timeout(3_600_000);
  const seed = runSeed();
  const random = seededRandom(seed);
  const members = new Map<number, Member>();
  const leagues: League[] = [true, false, false].map((isPublic, index) => {
    return { id: `league-${index}`, revision: 1, members: new Set(), isPublic };
  });
  const waiting: { readonly batch: string; readonly entry: LogEntry; readonly done: () => void }[] = [];
  const seen = { rows: 0, imported: 0, late: 0, left: 0, hidden: 0, gone: 0 };
  let world: RankingWorld;
  let ranking: Ranking;
  let reader: BoardReader;
  let named = 0;

  before(async () => {
    world = await openRankingWorld();
    ({ ranking } = world);
    reader = await ranking.openBoardReader(rethrow);
    for (let count = 0; count < OPERATORS; count += 1) await enrol();
  });

  after(async () => {
    await reader.close();
    await world.close();
  });

  async function enrol(): Promise<void> {
    const codename = `seasoned-${(named += 1)}`;
    const operator = await world.enrol(codename);
    members.set(operator, { operator, codename, sums: new Map(), received: [], hidden: false, suspended: false });
    for (const league of leagues) if (random.integer(0, 3) > 0) join(league, operator);
  }

  function join(league: League, operator: number): void {
    if (league.members.has(operator)) league.members.delete(operator);
    else league.members.add(operator);
    league.revision += 1;
  }

  /** Logs a snapshot, dated now or up to a week ago; it is processed at once or later. */
  async function submit({ operator, sums, received }: Member): Promise<void> {
    const { stream, platform } = random.pick(STREAMS);
    const former = sums.get(stream) ?? [0, 0, 0];
    const counts = former.map((sum, field) => sum + random.integer(field === 0 ? 1 : 0, 9));
    sums.set(stream, counts);
    const asOf = world.now - random.pick([0, 0, 0, 20, 47, 48, 60, 71, 72, 150]) * HOUR_MS;
    const [input, output, cache_read] = counts;
    const header = { as_of: Math.floor(asOf / 1_000), stream };
    const entry = world.entry(operator, { input: input!, output: output!, cache_read: cache_read!, platform }, header);
    const [outcome] = await ranking.log.append([entry]);
    if (outcome?.kind !== 'stored') throw new Error('not stored');
    const hour = Math.floor(asOf / HOUR_MS);
    const at = world.now;
    if (hour < (Math.floor(at / DAY_MS) - 2) * 24) seen.imported += 1;
    waiting.push({ batch: outcome.batch, entry, done: () => void received.push({ stream, at, hour, counts }) });
    if (random.integer(0, 3) > 0) await process(waiting.length - 1);
    else seen.late += 1;
  }

  async function process(index: number): Promise<void> {
    const [taken] = waiting.splice(index, 1);
    if (taken === undefined) return;
    await ranking.processBatch(taken.batch, [taken.entry]);
    taken.done();
  }

  async function change(member: Member): Promise<void> {
    const kind = random.integer(0, 5);
    const { operator } = member;
    if (kind < MEMBER_CHANGES) return changeMember(ranking, member, kind, `again-${(named += 1)}`);
    if (kind > MEMBER_CHANGES) return join(random.pick(leagues), operator);
    if (members.size < OPERATORS / 2) return;
    for (let index = waiting.length - 1; index >= 0; index -= 1) {
      if (waiting[index]!.entry.operator === operator) await process(index);
    }
    await ranking.operators.erase(operator);
    members.delete(operator);
  }

  async function step(): Promise<void> {
    const choice = random.integer(0, 11);
    if (choice % 2 === 0) await ranking.reconcileLog(async () => undefined);
    if (choice === 0) return enrol();
    if (choice === 1) await ranking.advanceHour();
    if (choice === 2) return process(random.integer(0, Math.max(0, waiting.length - 1)));
    const member = random.pick([...members.values()]);
    return choice < 5 ? change(member) : submit(member);
  }

  const isShown = (operator: number, { isPublic }: League): boolean => {
    const member = members.get(operator);
    return member !== undefined && !member.suspended && !(member.hidden && isPublic);
  };

  /** The board of the model: the members who are shown, by their growth. */
  function expected(league: League, from: number, until: number) {
    const used = new Map<number, { yield_: number | null; platform: string }>();
    for (const operator of league.members) {
      if (!isShown(operator, league)) continue;
      const { received } = members.get(operator)!;
      const grown = STREAMS.map(({ stream }) =>
        growthOf(
          received.filter((each) => each.stream === stream),
          from,
          until,
        ),
      );
      const [input, output, reads] = [0, 1, 2].map((field) => grown.reduce((sum, counts) => sum + counts[field]!, 0));
      const [one, two] = grown.map((counts) => counts.reduce((sum, count) => sum + count, 0));
      const platform = STREAMS[one! > two! ? 0 : 1].platform;
      used.set(operator, { yield_: input === 0 ? null : (reads! * output!) / input! ** 2, platform });
    }
    const yields = new Map([...used].map(([operator, { yield_ }]) => [operator, [yield_]]));
    return naiveBoard(yields, 1, tiers)[0]!.entries.map((entry) => ({
      ...entry,
      platform: used.get(entry.operator)!.platform,
    }));
  }

  type Row = ReturnType<typeof expected>[number];
  type Final = NonNullable<Awaited<ReturnType<Ranking['finalSeason']>>>;

  async function check(
    league: League,
    season: { from: number; until: number; board: Final | null },
    wanted: readonly Row[],
  ) {
    world.now += 10_000;
    const shape = { ...league, members: async () => [...league.members] };
    const asked = { window: 'all_time', limit: 100, offset: 0, at: null, league: shape, season } as const;
    const page = await reader.league(asked);
    if (page.kind !== 'page') throw new Error(page.kind);
    const rows = page.rows.map(({ codename, rank, yield_, platform, percentile, class_tier, global_rank }) => {
      return { codename, rank, yield_, platform, percentile, class_tier, global_rank };
    });
    const shown = wanted.filter(({ operator }) => league.members.has(operator) && isShown(operator, league));
    const model = shown.map(({ operator, ...row }) => {
      const { codename, hidden } = members.get(operator)!;
      return { codename, ...row, global_rank: hidden ? null : undefined };
    });
    expect(page.rows.filter(({ movement_24h: moved }) => typeof moved === 'number')).to.deep.equal([]);
    expect(rows, `${league.id}, seed ${seed}`).to.have.deep.members(model);
    expect(rows.map(({ rank }) => rank)).to.deep.equal(model.map(({ rank }) => rank));
    expect(page.total).to.equal(wanted.length);
    seen.rows += rows.length;
    return shown;
  }

  const finalOf = ({ isPublic, ...league }: League, from: number, until: number) =>
    ranking.finalSeason({ from, until, members: [...league.members], isPublic });

  async function play(): Promise<void> {
    const from = Math.floor(world.now / DAY_MS) + 1;
    const until = from + random.integer(7, 10);
    // Some days before it, and after its end.
    const pace = ((until - from) * DAY_MS + DAY_MS) / STEPS;
    for (let index = 0; index < STEPS; index += 1) {
      await step();
      world.now += random.integer(0, 2 * pace);
      // The last millisecond of a day, and the first one of the next.
      if (random.integer(0, 5) === 0) world.now = Math.ceil((world.now + 1) / DAY_MS) * DAY_MS - random.integer(0, 1);
      if (world.now >= until * DAY_MS) break;
      if (index % 10 !== 0) continue;
      for (const league of leagues) await check(league, { from, until, board: null }, expected(league, from, until));
    }
    world.now = Math.max(world.now, until * DAY_MS - HOUR_MS);
    if (world.now < until * DAY_MS) await submit(random.pick([...members.values()]));
    const late = waiting.length;
    world.now = until * DAY_MS + HOUR_MS;
    await ranking.reconcileLog(async () => undefined);
    if (late > 0) for (const league of leagues) expect(await finalOf(league, from, until)).to.equal(null);
    await submit(random.pick([...members.values()]));
    while (waiting.length > 0) await process(0);
    world.now += HOUR_MS;
    await ranking.reconcileLog(async () => undefined);
    const finals = await Promise.all(
      leagues.map(async (league) => {
        const wanted = expected(league, from, until);
        const board = (await finalOf(league, from, until))!;
        expect(
          board.rows.map(({ operator, rank, yield_, platform }) => ({ operator, rank, yield_, platform })),
        ).to.deep.equal(wanted.map(({ operator, rank, yield_, platform }) => ({ operator, rank, yield_, platform })));
        return { league, board, wanted };
      }),
    );
    // What has to happen once: of the first league one is erased, one hides its row, and one leaves.
    const [erased, hiding, leaving] = finals[0]!.wanted;
    if (leaving !== undefined) join(leagues[0]!, leaving.operator);
    if (hiding !== undefined && (await ranking.operators.hide(hiding.operator, true)).kind === 'changed') {
      members.get(hiding.operator)!.hidden = true;
    }
    if (erased !== undefined) {
      await ranking.operators.erase(erased.operator);
      members.delete(erased.operator);
    }
    for (let index = 0; index < STEPS; index += 1) {
      await step();
      world.now += HOUR_MS / 4;
      if (index % 10 !== 9) continue;
      for (const { league, board, wanted } of finals) {
        await check(league, { from, until, board }, wanted);
        seen.gone += wanted.filter(({ operator }) => !members.has(operator)).length;
        seen.left += wanted.filter(({ operator }) => members.has(operator) && !league.members.has(operator)).length;
        seen.hidden += wanted.filter(({ operator }) => members.get(operator)?.hidden === true).length;
      }
    }
  }

  it(`are those of a naive model until their end, and stay from then on (seed ${seed})`, async () => {
    for (let count = 0; count < SEASONS; count += 1) await play();
    expect(Object.entries(seen).filter(([, times]) => times === 0)).to.deep.equal([]);
  });
});
