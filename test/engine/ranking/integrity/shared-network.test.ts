import { expect } from 'chai';
import { DAY_MS, MINUTE_MS } from '../../../../config/units.ts';
import type { Ranking } from '../../../../engine/ranking/index.ts';
import { methodology1 } from '../../../../engine/ranking/methodologies/methodology-1.ts';
import { methodology3 } from '../../../../engine/ranking/methodologies/methodology-3.ts';
import { openRankingWorld, type RankingWorld } from '../../../support/ranking-world.ts';
import { runSeed, seededRandom } from '../../../support/seeded-random.ts';

/** The board's methodology, with the rules of methodology 3. */
const RULES = { methodologies: new Map([[1, { ...methodology1, rules: methodology3.rules }]]) };

const SHARED = 1 << 12;
const KEPT_DAYS = 30;
const STEPS = 10;
const NETWORKS = 5;

const unexpected = (error: unknown): never => {
  throw error;
};

/** An operator, and the last day (milliseconds) on each network. */
interface Row {
  readonly operator: number;
  readonly isFlagged: boolean;
  readonly counts: { input: number; output: number; cache_read: number; cache_write: number };
  readonly seen: Map<string, number>;
}

describe('operators on one network', () => {
  const random = seededRandom(runSeed());
  let world: RankingWorld;
  let ranking: Ranking;

  beforeEach(async () => {
    world = await openRankingWorld();
    ranking = world.another(RULES);
  });

  afterEach(() => world.close());

  async function makeRow(codename: string, isFlagged: boolean): Promise<Row> {
    const counts = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
    return { operator: await world.enrol(codename), isFlagged, counts, seen: new Map() };
  }

  /** Submits usage in new proportions from a network; that of flagged rows has more output than almost all usage. */
  async function submitFrom(client: string, { operator, isFlagged, counts, seen }: Row): Promise<void> {
    counts.input += 10_000 + random.integer(0, 999);
    counts.output += (isFlagged ? 50_000 : 4_000) + random.integer(0, 999);
    counts.cache_read += 150_000 + random.integer(0, 9_999);
    const as_of = Math.floor(world.now / 1_000);
    const entries = [world.entry(operator, { ...counts, platform: 'codex' }, { as_of })];
    const [outcome] = await ranking.log.append(entries);
    if (outcome?.kind !== 'stored') throw new Error(`the log returned ${outcome?.kind}`);
    await ranking.processBatch(outcome.batch, entries);
    await ranking.operators.recordNetworks([{ operator, client }]);
    seen.set(client, world.now - (world.now % DAY_MS));
  }

  /** What the schedules do in three minutes. */
  async function pass(): Promise<void> {
    world.now += 3 * MINUTE_MS;
    await ranking.reconcileLog(unexpected);
    await ranking.maintainIntegrity(async () => undefined);
  }

  const sightings = () => world.connection.collection<{ _id: string; network: string; on: Date }>('network_sightings');

  async function noted(rows: readonly Row[]): Promise<number[]> {
    const operators = world.connection.collection<{ _id: number; findings?: number }>('operators');
    const found = await operators.find({ _id: { $in: rows.map(({ operator }) => operator) } }).toArray();
    return found.flatMap(({ _id, findings = 0 }) => ((findings & SHARED) === 0 ? [] : _id)).sort((a, b) => a - b);
  }

  /** The operators of networks with two to four recent operators, all of them flagged. */
  function expectedOf(rows: readonly Row[]): number[] {
    const from = world.now - KEPT_DAYS * DAY_MS;
    const networks = [...new Set(rows.flatMap(({ seen }) => [...seen.keys()]))];
    const held = networks.flatMap((network) => {
      const on = rows.filter(({ seen }) => (seen.get(network) ?? 0) >= from);
      return on.length >= 2 && on.length <= 4 && on.every(({ isFlagged }) => isFlagged) ? on : [];
    });
    return [...new Set(held.map(({ operator }) => operator))].sort((a, b) => a - b);
  }

  it(`get the note exactly while all of a few are flagged (seed ${random.seed})`, async () => {
    const rows: Row[] = [];
    for (let index = 0; index < 9; index++) rows.push(await makeRow(`row-${index}`, index < 7));
    await pass();
    let changes = 0;
    let before: readonly number[] = [];
    for (let step = 0; step < STEPS; step++) {
      const movers = random.shuffled(rows).slice(0, random.integer(1, 4));
      for (const row of movers) await submitFrom(`192.0.2.${random.integer(1, NETWORKS)}`, row);
      world.now += random.integer(0, 12) * DAY_MS;
      // A network is compared when a flagged operator on it changes, as here by an hour that advances.
      for (const { operator } of rows) await ranking.operators.amend(operator, { listed: true });
      await pass();
      const expected = expectedOf(rows);
      expect(await noted(rows), `after step ${step}`).to.deep.equal(expected);
      changes += String(expected) === String(before) ? 0 : 1;
      before = expected;
      const kept = await sightings().countDocuments();
      expect(kept).to.equal(
        await sightings().countDocuments({ on: { $gte: new Date(world.now - KEPT_DAYS * DAY_MS) } }),
      );
    }
    expect(changes).to.be.greaterThan(0);
  });

  it('get no note for an office, nor for a household with an operator who is not flagged', async () => {
    const office = await Promise.all([1, 2, 3, 4, 5].map((index) => makeRow(`office-${index}`, true)));
    const household = await Promise.all([1, 2].map((index) => makeRow(`household-${index}`, index === 1)));
    await pass();
    for (const row of office) await submitFrom('192.0.2.1', row);
    for (const row of household) await submitFrom('192.0.2.2', row);
    await pass();
    await pass();
    expect(await noted([...office, ...household])).to.deep.equal([]);
  });

  it('lose the note with the last other one, whose networks go with its erasure, and are stored without addresses', async () => {
    const [first, second] = [await makeRow('first-row', true), await makeRow('second-row', true)];
    await pass();
    for (const row of [first, second]) await submitFrom('192.0.2.1', row);
    await pass();
    expect(await noted([first, second])).to.deep.equal([first.operator, second.operator]);
    expect(JSON.stringify(await sightings().find().toArray())).to.not.include('192.0.2');
    const exported = await ranking.operators.export(first.operator);
    expect(exported?.networks).to.deep.equal([world.now - (world.now % DAY_MS)]);
    await ranking.operators.erase(second.operator);
    expect(await sightings().countDocuments()).to.equal(1);
    await ranking.operators.recordNetworks([{ operator: second.operator, client: '192.0.2.1' }]);
    expect(await sightings().countDocuments()).to.equal(1);
    await pass();
    expect(await noted([first])).to.deep.equal([]);
  });
});
