import { expect } from 'chai';
import { DAY_MS, HOUR_MS } from '../../config/units.ts';
import { WINDOWS } from '../../engine/contract/index.ts';
import { type Connection, openMongo } from '../../engine/mongo/index.ts';
import { type LogEntry, type Ranking } from '../../engine/ranking/index.ts';
import { METHODOLOGIES } from '../../engine/ranking/methodologies/index.ts';
import { enqueueBatch, JOBS, openQueues, type Queues } from '../../ops/runtime/queues/index.ts';
import { openBlockingRedis } from '../../ops/runtime/stores/index.ts';
import { entriesOn } from '../support/board-entries.ts';
import { type ClockedWorkers, startClockedWorkers } from '../support/clocked-workers.ts';
import { freshDatabase } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { runsOf } from '../support/long-run.ts';
import { type NaiveWindow, naiveBoard, naiveRank } from '../support/naive-board.ts';
import { NaiveHistory } from '../support/naive-history.ts';
import {
  type NaiveAssertions,
  type NaiveIntegrity,
  naiveIntegrity,
  naiveSpreads,
  naiveWitness,
} from '../support/naive-integrity.ts';
import { type NaiveSnapshot, naiveUsage, receivedAt, snapshotOf } from '../support/naive-usage.ts';
import { enrolDevice, enrolOperator, type OpenEngine, openEngine } from '../support/open-engine.ts';
import { OTHER_METHODOLOGY, useOtherBounds } from '../support/other-bounds.ts';
import { createPlainBoard, PLAIN_METHODOLOGY } from '../support/plain-board.ts';
import { rethrow } from '../support/rethrow.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { namedDeviceKey } from '../support/signing.ts';
import {
  dailySnapshots,
  type SimulatedOperator,
  type SimulatedSnapshot,
  signedEntry,
  simulateSnapshots,
} from '../support/simulated-field.ts';
import { useFixture } from '../support/use-fixture.ts';

const OPERATORS = runsOf(60, 2_000);
const SNAPSHOTS_EACH = runsOf(7, 20);
const DAYS = runsOf(12, 80);
/** One in so many hours is compared. */
const COMPARED_EVERY = runsOf(4, 8);
/** One comparison reads the exports of one operator in so many, in turn. */
const EXPORTED_EVERY = runsOf(8, 1);
const WORKERS = 3;
const START = Date.UTC(2031, 4, 7, 10, 30);
const OTHER = OTHER_METHODOLOGY.id;
/** The methodologies after the first; `back`: the last change is rolled back. */
const CHANGES = [3, OTHER, 'back', OTHER] as const;
/** A history is consistent with so many witnessed days, and at most this standard error. */
const CONSISTENT = { days: 30, spread: 0.5 };

describe('boards of a simulated population, by three worker processes', function () {
  this.timeout(3_600_000);
  useOtherBounds();
  const random = seededRandom(runSeed());
  const database = useFixture(freshDatabase);
  let connection: Connection;
  let workers: ClockedWorkers;
  let queues: Queues;
  let ranking: Ranking;
  let now = START;
  let operators: SimulatedOperator[];
  let methodology = PLAIN_METHODOLOGY;
  /** The rules that were crossed under any methodology, and how rows stood by what they need. */
  const covered = new Set<string>();
  const known = new Map<number, NaiveSnapshot[]>();
  let comparisons = 0;
  const history = new NaiveHistory();
  const closers: (() => Promise<unknown> | void)[] = [];

  before(async () => {
    await createPlainBoard(database().mongoUrl, () => now);
    connection = await openMongo(database().mongoUrl);
    const redis = openBlockingRedis(database().redisUrl, () => undefined);
    queues = openQueues(redis, database().prefix, () => undefined);
    const engine = openEngine(connection, () => now);
    ({ ranking } = engine);
    // Before the workers start, which keep a schedule that is there: it would assert findings at moments unknown to the model.
    const later = { every: JOBS['maintain-integrity'].everyMs!, startDate: Date.now() + DAY_MS };
    await queues.upkeep.upsertJobScheduler('maintain-integrity', later, { name: 'maintain-integrity', data: {} });
    workers = await startClockedWorkers(WORKERS, database(), now);
    closers.push(
      () => workers.close(),
      () => queues.close(),
      () => redis.disconnect(),
      () => connection.close(),
    );
    operators = await enrolAll(engine);
  });

  after(async () => {
    for (const close of closers) await close();
  });

  async function enrolAll({ accounts }: OpenEngine): Promise<SimulatedOperator[]> {
    const enrol = async (index: number): Promise<SimulatedOperator> => {
      const codename = `sim-${index}`;
      const key = namedDeviceKey(codename);
      const operator = await enrolOperator(ranking, codename);
      await enrolDevice(accounts, { operator, codename }, key, now);
      return { operator, codename, key };
    };
    const enrolled: SimulatedOperator[] = [];
    for (let first = 0; first < OPERATORS; first += 20) {
      enrolled.push(...(await Promise.all(Array.from({ length: 20 }, (_, offset) => enrol(first + offset)))));
    }
    return enrolled;
  }

  function modelBoard(): NaiveWindow[] {
    const yields = operators.map(({ operator }): [number, (number | null)[]] => [
      operator,
      integrityOf(operator).map(({ yield_ }) => yield_),
    ]);
    return naiveBoard(new Map(yields), WINDOWS.length, METHODOLOGIES.get(methodology)!.tiers);
  }

  function integrityOf(
    operator: number,
    snapshots = known.get(operator) ?? [],
    older: NaiveAssertions['older'] = [],
  ): NaiveIntegrity[] {
    return naiveIntegrity(snapshots, naiveUsage(snapshots, now), now, METHODOLOGIES.get(methodology)!, { older });
  }

  function levelOf(operator: number, integrity: readonly NaiveIntegrity[]): string {
    const snapshots = known.get(operator) ?? [];
    const { growth, older } = naiveWitness(snapshots, now);
    const { spread } = naiveSpreads(snapshots, now)[0]!;
    const isRegular = growth.size + older.length >= CONSISTENT.days && spread >= 0 && spread <= CONSISTENT.spread;
    const isFlagged = integrity.some(({ flags }) => flags.length > 0);
    return isRegular && !isFlagged ? 'consistent' : 'self_reported';
  }

  /** Changes the methodology of the board, or rolls its last change back. */
  async function change(to: number | 'back'): Promise<void> {
    if (to === 'back') {
      const rolledBack = await ranking.rerank.rollBack();
      if (rolledBack.kind !== 'rolled_back') throw new Error(`the rollback returned ${rolledBack.kind}`);
      methodology = rolledBack.to;
      return;
    }
    for (const kind of ['preview', 'activate'] as const) {
      const started = await ranking.rerank.start({ kind, methodology: to });
      if (started.kind !== 'started') throw new Error(`the ${kind} returned ${started.kind}`);
      const ended = async () => {
        const runs = (await ranking.rerank.status()).ended;
        return runs.find(({ run, state }) => run === started.run && state !== 'running');
      };
      await queues.upkeep.add('supervise-rerank', {}, { removeOnComplete: true });
      await eventually(`the end of the ${kind}`, async () => (await ended()) !== undefined);
      expect((await ended())?.state).to.equal(kind === 'preview' ? 'previewed' : 'switched');
      if (kind === 'preview') await compareIntegrity();
    }
    methodology = to;
  }

  /** Compares flags and levels of all operators with the model of the log, and of some with that of the data that they export. */
  async function compareIntegrity(): Promise<void> {
    const reader = await ranking.openBoardReader(rethrow);
    try {
      expect(reader.view().methodology).to.equal(methodology);
      for (const [index, { operator, codename }] of operators.entries()) {
        const model = integrityOf(operator);
        if ((index + comparisons) % EXPORTED_EVERY === 0) {
          const exported = await ranking.operators.export(operator);
          const fromExport = integrityOf(operator, exported!.usage.samples.map(snapshotOf), exported!.usage.older);
          expect(fromExport, `rules of ${codename} by its export`).to.deep.equal(model);
        }
        const profile = await reader.profile(codename);
        const level = levelOf(operator, model);
        const shown = WINDOWS.map((window) => profile!.windows[window].integrity);
        expect(shown, `integrity of ${codename}`).to.deep.equal(model.map(({ flags }) => ({ level, flags })));
        const witness = naiveWitness(known.get(operator) ?? [], now);
        for (const [window, { flags, row, need }] of model.entries()) {
          for (const flag of flags) covered.add(flag);
          covered.add(`${row} ${need}`);
          const { rank, witnessed_days } = profile!.windows[WINDOWS[window]!];
          expect(rank !== null, `${codename} in ${WINDOWS[window]}`).to.equal(row === 'settled');
          expect(witnessed_days).to.equal(witness.growth.size);
        }
      }
      comparisons += 1;
    } finally {
      await reader.close();
    }
  }

  /** All dirty sets are published, and the hour has its kept base run. */
  async function settled(): Promise<void> {
    const { manifests, lists } = {
      manifests: connection.db!.collection<{ _id: string; hour: number; history: { hour: number }[] }>(
        'board_manifests',
      ),
      lists: connection.db!.collection('dirty_sets'),
    };
    await eventually('a settled board', async () => {
      const manifest = await manifests.findOne({ _id: 'manifest' });
      const hour = Math.floor(now / HOUR_MS);
      if (manifest?.hour !== hour || manifest.history.at(-1)?.hour !== hour) return false;
      return (await lists.countDocuments({})) === 0;
    });
  }

  async function advanceTo(moment: number): Promise<void> {
    now = moment;
    await workers.setClock(now);
    await queues.upkeep.add('advance-hour', {}, { removeOnComplete: true });
    await settled();
    history.keep(Math.floor(now / HOUR_MS), modelBoard());
  }

  async function deliver(snapshots: readonly SimulatedSnapshot[]): Promise<void> {
    const verdicts = connection.db!.collection('verdicts');
    const before = await verdicts.countDocuments({});
    let batches = 0;
    let waiting = [...random.shuffled(snapshots)];
    while (waiting.length > 0) {
      const size = random.integer(1, 300);
      const entries = waiting.slice(0, size).map((snapshot) => signedEntry(snapshot, now));
      waiting = waiting.slice(size);
      await sendBatch(entries);
      batches += 1;
    }
    for (const snapshot of snapshots) {
      const { operator } = snapshot.owner;
      known.set(operator, [...(known.get(operator) ?? []), receivedAt(snapshot.fact, now)]);
    }
    await eventually('verdicts', async () => (await verdicts.countDocuments({})) === before + batches);
    await eventually(
      'an idle queue',
      async () => (await queues.ingest.getJobCountByTypes('waiting', 'active', 'delayed')) === 0,
    );
  }

  /** Logs and queues a batch; sometimes the job is repeated, or its entries are submitted again. */
  async function sendBatch(entries: readonly LogEntry[]): Promise<void> {
    const [outcome] = await ranking.log.append(entries);
    if (outcome?.kind !== 'stored') throw new Error(`unexpected ${outcome?.kind}`);
    await enqueueBatch(queues, outcome.batch, random.integer(0, 1) === 0 ? entries : undefined);
    if (random.integer(0, 4) === 0) {
      await queues.ingest.add('process-batch', { batch: outcome.batch }, { removeOnComplete: true });
      const again = await ranking.log.append(entries);
      expect(again.every(({ kind }) => kind === 'repeated')).to.equal(true);
    }
  }

  async function compareWithModel(): Promise<void> {
    await settled();
    const model = modelBoard();
    const reader = await ranking.openBoardReader(rethrow);
    const hour = Math.floor(now / HOUR_MS);
    const numbers = new Map(operators.map(({ codename, operator }) => [codename, operator]));
    for (const [window, name] of WINDOWS.entries()) {
      const expected = model[window]!;
      expect(reader.view().totals[name], `total of ${name}`).to.equal(expected.total);
      const listed = [];
      for (let offset = 0; offset < expected.total; offset += 500)
        listed.push(...(await entriesOn(reader, name, offset, 500)));
      const seen = listed.map((entry) => ({
        operator: numbers.get(entry.codename)!,
        yield_: entry.yield_,
        rank: entry.rank,
        percentile: entry.percentile,
        class_tier: entry.class_tier,
      }));
      expect(seen, `board of ${name}`).to.deep.equal(expected.entries);
      expect(reader.view().topEntries[name].map(({ codename }) => codename)).to.deep.equal(
        listed.slice(0, 100).map(({ codename }) => codename),
      );
      for (const entry of [...listed, ...reader.view().topEntries[name]]) {
        const operator = numbers.get(entry.codename)!;
        const moved = [24, 168].map((hours) => history.movement(hour, hours, window, operator, entry.rank));
        expect([entry.movement_24h, entry.movement_7d], `movement of ${entry.codename} in ${name}`).to.deep.equal(
          moved,
        );
      }
    }
    for (const [window, name] of WINDOWS.entries()) {
      const held = operators.flatMap(({ operator, codename }) => {
        const { yield_ } = naiveUsage(known.get(operator) ?? [], now)[window]!;
        return integrityOf(operator)[window]!.row === 'held' ? { codename, operator, yield_: yield_! } : [];
      });
      held.sort((a, b) => b.yield_ - a.yield_ || a.operator - b.operator);
      const shown = await reader.held(name, 100);
      expect(shown.total, `held rows of ${name}`).to.equal(held.length);
      expect(shown.rows.map(({ codename }) => codename)).to.deep.equal(
        held.slice(0, 100).map(({ codename }) => codename),
      );
    }
    for (const { operator, codename } of random.shuffled(operators).slice(0, 300)) {
      const profile = await reader.profile(codename);
      const usage = naiveUsage(known.get(operator) ?? [], now);
      const integrity = integrityOf(operator);
      for (const [window, name] of WINDOWS.entries()) {
        const expected = model[window]!.byOperator.get(operator);
        expect(profile?.windows[name].rank ?? null, `${codename} in ${name}`).to.equal(expected?.rank ?? null);
        expect(profile?.windows[name].percentile ?? null).to.equal(expected?.percentile ?? null);
        const { row } = integrity[window]!;
        const yield_ = row === 'settled' || row === 'held' ? usage[window]!.yield_ : null;
        expect(profile?.windows[name].yield_ ?? null).to.equal(yield_);
        const place = row === 'held' ? naiveRank(model[window]!, yield_!) : null;
        expect(profile?.windows[name].would_be ?? null, `place of ${codename} in ${name}`).to.equal(place);
      }
      if (usage[0]!.platform !== null) expect(profile?.platform).to.equal(usage[0]!.platform);
    }
    await reader.close();
    await compareIntegrity();
  }

  it(`equal the model in every window, with changes of the rules in between (seed ${random.seed})`, async () => {
    const snapshots = operators
      .flatMap((owner, index) =>
        index % 3 === 0
          ? dailySnapshots(random, owner, { nth: index / 3, start: START, days: DAYS + 30 })
          : simulateSnapshots(random, owner, { start: START, days: DAYS, snapshots: SNAPSHOTS_EACH }),
      )
      .sort((a, b) => a.sentAt - b.sentAt);
    let sent = 0;
    const deliverDue = async (): Promise<void> => {
      const until = snapshots.findIndex(({ sentAt }) => sentAt > now);
      const next = snapshots.slice(sent, until < 0 ? snapshots.length : until);
      sent += next.length;
      await deliver(next);
    };
    let hops = 0;
    let changes = 0;
    await advanceTo(now + HOUR_MS);
    while (now < START + DAYS * 24 * HOUR_MS) {
      // A change can be rolled back only for some days.
      const isLong = random.integer(0, 3) === 0 && CHANGES[changes] !== 'back';
      await advanceTo(now + random.integer(1, isLong ? 200 : 60) * HOUR_MS);
      await deliverDue();
      hops += 1;
      const passed = (now - START) / (DAYS * DAY_MS);
      if (changes < CHANGES.length && passed > (changes + 1) / (CHANGES.length + 2)) {
        await change(CHANGES[changes]!);
        changes += 1;
        await compareWithModel();
      } else if (hops % COMPARED_EVERY === 0) await compareWithModel();
    }
    for (; changes < CHANGES.length; changes++) await change(CHANGES[changes]!);
    for (let day = 0; day < 3; day++) {
      await advanceTo(now + DAY_MS);
      await deliverDue();
    }
    await compareWithModel();
    await advanceTo(now + 21 * DAY_MS);
    await deliverDue();
    await compareWithModel();
    expect([...covered], 'rules and states').to.include.members([
      'no-input',
      'settled 0',
      'settled 3',
      'held 3',
      'held 7',
      'held 30',
    ]);
  });
});
