import { methodology1 } from '../../config/methodologies/methodology-1.ts';
import { WINDOWS } from '../../engine/contract/index.ts';
import type { BoardReader, Committer, GroupVerdict, LogEntry, Ranking } from '../../engine/ranking/index.ts';
import type { FreshDatabase } from '../support/engines.ts';
import { type NaiveWindow, naiveBoard } from '../support/naive-board.ts';
import { type NaiveSnapshot, naiveUsage } from '../support/naive-usage.ts';
import { openRankingWorld, type RankingWorld } from '../support/ranking-world.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

const OPERATORS = 9;
const LEDGERS = ['ledger-one', 'ledger-two'] as const;
const PLATFORMS = ['claude-code', 'codex-cli'] as const;

const rethrow = (error: unknown): never => {
  throw error;
};

/** A small field of operators on real engines, with everything that was ever acknowledged remembered for the model. */
export interface FaultField {
  readonly world: RankingWorld;
  readonly random: SeededRandom;
  readonly operators: readonly number[];
  /** The process that lives through every fault: its engine, its committer and its reader keep what they remember. */
  readonly survivor: Ranking;
  readonly committer: Committer;
  readonly reader: BoardReader;
  /** Everything acknowledged. */
  readonly logged: readonly LogEntry[];
  /** Snapshots of random operators and times that are received now. */
  makeEntries(count: number): LogEntry[];
  /** Appends entries through an engine; they count as acknowledged from here on. Answers their group. */
  append(engine: Ranking, entries: readonly LogEntry[]): Promise<string>;
  /** Appends and judges random entries through an engine. */
  submit(engine: Ranking, count?: number): Promise<GroupVerdict>;
  /** Everything that the product does by itself from time to time, once, after waiting as long as that takes. */
  recover(): Promise<void>;
  /** Publishes what is listed and waits for the compaction that follows, if any. */
  publish(): Promise<void>;
  /** The boards as they should be. */
  model(): Promise<NaiveWindow[]>;
  close(): Promise<void>;
}

/** Opens a field with some history: old snapshots, a published board, and two kept hours. */
export async function openFaultField(random: SeededRandom, database?: FreshDatabase): Promise<FaultField> {
  const world = await openRankingWorld(database);
  const operators: number[] = [];
  for (let index = 0; index < OPERATORS; index++) operators.push(await world.enrol(`fault-${index}`));
  const survivor = world.another();
  const committer = survivor.createCommitter(() => undefined, rethrow);
  // It looks for new versions by itself, also while the store is away.
  const reader = await survivor.openBoardReader(() => undefined);
  const facts = new Map<number, NaiveSnapshot[]>();
  const logged: LogEntry[] = [];
  let made = 0;

  function makeEntry(_: unknown, index: number): LogEntry {
    const operator = random.pick(operators);
    const ages = [0, 0, random.integer(0, 10) * HOUR_MS, random.integer(0, 60) * DAY_MS, 168 * HOUR_MS];
    const age = index === 0 ? 0 : random.pick(ages);
    const asOf = Math.floor((world.now - age) / SECOND_MS) * SECOND_MS;
    const [ledger, platform] = [random.pick(LEDGERS), random.pick(PLATFORMS)];
    const counts = Array.from({ length: 4 }, () => random.integer(1, random.pick([5, 5, 1_000])));
    const [input = 0, small = 0, cache_read = 0, cache_write = 0] = counts;
    // The first of a group moves its operator for sure; the others make ties, and often change nothing.
    const output = index === 0 ? 1_000 * (made + 2) : small;
    const header = { jti: `fault-jti-${String(made++).padStart(6, '0')}`, as_of: asOf / SECOND_MS, stream: ledger };
    const iat = Math.floor(world.now / SECOND_MS);
    return world.entry(operator, { input, output, cache_read, cache_write, platform }, { iat, ...header });
  }

  function remember(entry: LogEntry): void {
    const header: { as_of: number; stream: string } = JSON.parse(
      Buffer.from(entry.signature.split('.')[0]!, 'base64url').toString('utf8'),
    );
    const { input, output, cache_read, cache_write, platform = '' } = entry.payload;
    const own = facts.get(entry.operator) ?? [];
    facts.set(entry.operator, own);
    own.push({
      ledger: header.stream,
      platform,
      epoch: 0,
      asOf: header.as_of * SECOND_MS,
      counts: [input, output, cache_read, cache_write],
    });
    logged.push(entry);
  }

  async function publish(): Promise<void> {
    while (await committer.tick());
    // Closing waits for a compaction under way and gives the lease up; ticking takes it again.
    await committer.close();
  }

  const field: FaultField = {
    world,
    random,
    operators,
    survivor,
    committer,
    reader,
    logged,
    makeEntries: (count) => Array.from({ length: count }, makeEntry),
    async append(engine, entries) {
      for (const entry of entries) remember(entry);
      const [outcome] = await engine.log.append(entries);
      if (outcome?.kind !== 'stored') throw new Error(`the log answered ${outcome?.kind}`);
      return outcome.group;
    },
    async submit(engine, count = random.integer(1, 5)) {
      const entries = field.makeEntries(count);
      return engine.judgeGroup(await field.append(engine, entries), entries);
    },
    publish,
    async recover() {
      // Past the settling time of reconciler and healer, leases, and the time after which held lists are abandoned.
      world.now += 40 * SECOND_MS;
      await survivor.reconcileLog(async (group) => {
        await survivor.judgeGroup(group, await survivor.log.ofGroup(group));
      });
      await survivor.turnHour();
      await survivor.healOperators();
      await publish();
      // A commit that waited for the turn of the hour, and the compaction of that hour.
      await publish();
      await reader.refresh();
    },
    async model() {
      const yields = new Map<number, (number | null)[]>();
      for (const operator of operators) {
        const record = await survivor.operators.byNumber(operator);
        if (record?.listed !== true) continue;
        yields.set(
          operator,
          naiveUsage(facts.get(operator) ?? [], world.now).map(({ yield_ }) => yield_),
        );
      }
      return naiveBoard(yields, WINDOWS.length, methodology1.tiers);
    },
    async close() {
      await reader.close();
      await committer.close();
      await world.close();
    },
  };
  await layHistory(field);
  return field;
}

async function layHistory(field: FaultField): Promise<void> {
  await field.submit(field.survivor, 24);
  await field.publish();
  field.world.now += HOUR_MS;
  await field.survivor.turnHour();
  await field.publish();
  await field.submit(field.survivor);
  await field.publish();
}
