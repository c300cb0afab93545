import { DAY_MS, HOUR_MS, MS_PER_SECOND } from '../../config/units.ts';
import type { BatchVerdict, BoardReader, Committer, LogEntry, Ranking } from '../../engine/ranking/index.ts';
import type { FreshDatabase } from '../support/engines.ts';
import type { NaiveWindow } from '../support/naive-board.ts';
import type { NaiveAssertions, NaiveIntegrity } from '../support/naive-integrity.ts';
import { appendBatch, committerOf } from '../support/open-engine.ts';
import { openRankingWorld, type RankingWorld } from '../support/ranking-world.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { acknowledgedEntries } from './acknowledged-entries.ts';

const OPERATORS = 9;
const LEDGERS = ['ledger-one', 'ledger-two'] as const;
const PLATFORMS = ['claude-code', 'codex-cli'] as const;

/** A small population of operators on real databases, with all acknowledged snapshots for the model. */
export interface FaultFixture {
  readonly world: RankingWorld;
  readonly random: SeededRandom;
  readonly operators: readonly number[];
  /** The process that survives every fault: its engine, committer and reader keep their memory. */
  readonly survivor: Ranking;
  readonly committer: Committer;
  readonly reader: BoardReader;
  /** All acknowledged entries. */
  readonly logged: readonly LogEntry[];
  /** Creates snapshots of random operators and times, received now. */
  readonly makeEntries: (count: number) => LogEntry[];
  /** Appends entries through an engine; they count as acknowledged from then on. Returns their batch. */
  readonly append: (engine: Ranking, entries: readonly LogEntry[]) => Promise<string>;
  /** Removes an entry that was correctly refused: it does not count, and its verdict differs. */
  readonly withdraw: (entry: LogEntry) => void;
  /** Appends and processes random entries through an engine. */
  readonly submit: (engine: Ranking, count?: number) => Promise<BatchVerdict>;
  /** Runs all periodic jobs of the product once, after their delays. */
  readonly recover: () => Promise<void>;
  /** Publishes the dirty sets and waits for a compaction, if one follows. */
  readonly publish: () => Promise<void>;
  /** The model's boards under a methodology, by default that of the board. */
  readonly model: (methodology?: number) => Promise<NaiveWindow[]>;
  /** The model's rules that an operator crosses in each window. */
  readonly integrity: (operator: number, methodology: number, asserted?: NaiveAssertions) => readonly NaiveIntegrity[];
  readonly close: () => Promise<void>;
}

/** Opens a fixture with some history: old snapshots, a published board, and two kept hours. */
export async function openFaultFixture(random: SeededRandom, database?: FreshDatabase): Promise<FaultFixture> {
  const world = await openRankingWorld(database);
  const operators: number[] = [];
  for (let index = 0; index < OPERATORS; index++) operators.push(await world.enrol(`fault-${index}`));
  const survivor = world.another();
  const committer = committerOf(survivor);
  // It polls for new versions, also while the store is unavailable.
  const reader = await survivor.openBoardReader(() => undefined);
  const entries = acknowledgedEntries();
  const makeEntry = entryMaker(world, random, operators);
  const fixture: FaultFixture = {
    world,
    random,
    operators,
    survivor,
    committer,
    reader,
    logged: entries.logged,
    makeEntries: (count) => Array.from({ length: count }, (_, index) => makeEntry(index === 0)),
    async append(engine, offered) {
      for (const entry of offered) entries.add(entry);
      return appendBatch(engine, offered);
    },
    withdraw: (entry) => entries.withdraw(entry),
    async submit(engine, count = random.integer(1, 5)) {
      const offered = fixture.makeEntries(count);
      return engine.processBatch(await fixture.append(engine, offered), offered);
    },
    async publish() {
      while (await committer.tick());
      // Closing waits for a running compaction and releases the lease; the next tick acquires it.
      await committer.close();
    },
    recover: () => recover(fixture),
    model: async (methodology) =>
      entries.boards(operators, survivor, world.now, methodology ?? (await survivor.rerank.status()).methodology),
    integrity: (operator, ...rest) => entries.integrity(operator, world.now, ...rest),
    async close() {
      await reader.close();
      await committer.close();
      await world.close();
    },
  };
  await addHistory(fixture);
  return fixture;
}

const EXCLUDED_EVERY = 9;
const BEYOND_OUTPUT = 1e9;

/** Creates snapshots of random operators and times. One that counts always changes its operator's Yield; others make ties. */
function entryMaker(world: RankingWorld, random: SeededRandom, operators: readonly number[]) {
  let made = 0;
  return (counts: boolean): LogEntry => {
    const ages = [0, 0, random.integer(0, 10) * HOUR_MS, random.integer(0, 60) * DAY_MS, 168 * HOUR_MS];
    const asOf = Math.floor((world.now - (counts ? 0 : random.pick(ages))) / MS_PER_SECOND);
    const small = (): number => random.integer(1, random.pick([5, 5, 1_000]));
    const jti = `fault-jti-${String(made++).padStart(6, '0')}`;
    // One operator's rows are excluded whatever the seed: no model writes so much for so little input.
    const isBeyond = !counts && made % EXCLUDED_EVERY === 0;
    const output = counts ? 1_000 * (made + 1) : isBeyond ? BEYOND_OUTPUT : small();
    // Nor does a change of its row change a board.
    const operator = isBeyond ? operators[0]! : random.pick(counts ? operators.slice(1) : operators);
    const usage = { input: small(), output, cache_read: small(), cache_write: small() };
    const header = { jti, iat: Math.floor(world.now / MS_PER_SECOND), as_of: asOf, stream: random.pick(LEDGERS) };
    return world.entry(operator, { ...usage, platform: random.pick(PLATFORMS) }, header);
  };
}

async function recover({ world, survivor, reader, publish }: FaultFixture): Promise<void> {
  // Past the delays of both reconciliations, the leases, and the age at which write intents count as abandoned.
  world.now += 40 * MS_PER_SECOND;
  await survivor.reconcileLog(async (batch) => {
    await survivor.processBatch(batch, await survivor.log.ofBatch(batch));
  });
  await survivor.advanceHour();
  await survivor.reconcileOperators();
  await publish();
  // A commit that waited for the next hour, and the compaction of that hour.
  await publish();
  await reader.refresh();
}

async function addHistory(fixture: FaultFixture): Promise<void> {
  await fixture.submit(fixture.survivor, 24);
  await fixture.publish();
  fixture.world.now += HOUR_MS;
  await fixture.survivor.advanceHour();
  await fixture.publish();
  await fixture.submit(fixture.survivor);
  await fixture.publish();
}
