import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { createConnection } from 'mongoose';
import { DAY_MS, HOUR_MS } from '../../../../config/units.ts';
import type { LogEntry } from '../../../../engine/ranking/index.ts';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import { committerOf } from '../../../support/open-engine.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { useFixture } from '../../../support/use-fixture.ts';

const WRITES: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'findAndModify']);
const COUNTS = { input: 10, output: 20, cache_read: 30 };

describe('the writes of the engine', () => {
  const world = useFixture(openRankingWorld);

  const connection = useFixture(() =>
    createConnection(world().database.mongoUrl, { monitorCommands: true }).asPromise(),
  );
  /** Write commands with their collections, in order. */
  let writes: string[] = [];
  let reads: string[] = [];
  /** Writes without majority and journal acknowledgement. */
  const weak = new Set<string>();
  const seen = new Set<string>();

  before(async () => {
    connection()
      .getClient()
      .on('commandStarted', ({ commandName, command }) => {
        const filter = JSON.stringify(command['filter'] ?? {});
        if (filter.includes('"prepared_at":{"$exists":true}')) reads.push('prepared intents');
        if (filter.includes('"next_due":')) reads.push('due operators');
        if (!WRITES.has(commandName)) return;
        const write = `${commandName} ${String(command[commandName])}`;
        writes.push(write);
        seen.add(write);
        const concern: unknown = command['writeConcern'];
        if (!isDeepStrictEqual(concern, { w: 'majority', j: true })) weak.add(write);
      });
  });
  const engine = useFixture(() => world().another({ connection: connection() }));

  async function append(entry: LogEntry): Promise<string> {
    const [stored] = await engine().log.append([entry]);
    if (stored?.kind !== 'stored') throw new Error('not stored');
    writes = [];
    return stored.batch;
  }

  async function publish(): Promise<void> {
    const committer = committerOf(engine());
    await committer.tick();
    await committer.close();
  }

  it('of a batch apply samples, then mark operators dirty, then record verdicts', async () => {
    const entry = world().entry(await world().enrol('applied-one'), COUNTS);
    await engine().processBatch(await append(entry), [entry]);
    expect(writes).to.deep.equal(['update operators', 'insert dirty_sets', 'insert verdicts']);
  });

  it('of reprocessing correct a verdict after marking its operator dirty', async () => {
    const entry = world().entry(await world().enrol('poisoned-one'), COUNTS);
    const batch = await append(entry);
    const broken = world().another({ deviceKeys: () => Promise.reject(new TypeError('a mistake')) });
    await broken.processBatchByEntry(batch, [entry]);
    await engine().reprocessPoisoned();
    expect(writes).to.deep.equal(['update operators', 'insert dirty_sets', 'update verdicts']);
  });

  it('of a commit delete dirty sets after publishing the version that includes them', async () => {
    writes = [];
    await publish();
    const published = writes.filter((write) => /board_manifests|dirty_sets/.test(write));
    expect(published.slice(0, 2)).to.deep.equal(['update board_manifests', 'delete dirty_sets']);
    const beforeManifest = writes.slice(0, writes.indexOf('update board_manifests'));
    expect(beforeManifest).to.include.members(['insert board_segments', 'insert board_top_entries']);
  });

  it('of a commit without changes delete dirty sets after no earlier committer can publish', async () => {
    await openStores(connection()).dirtySets.add([1], world().now);
    writes = [];
    await publish();
    const published = writes.filter((write) => /board_manifests|dirty_sets/.test(write));
    expect(published).to.deep.equal(['update board_manifests', 'delete dirty_sets']);
  });

  it('of an hour prepare write intents before the records, and commit them after', async () => {
    world().now += 200 * HOUR_MS;
    writes = [];
    expect(await engine().advanceHour()).to.be.above(0);
    const advanced = writes.filter((write) => /operators|dirty_sets/.test(write));
    expect(advanced.slice(-3)).to.deep.equal(['insert dirty_sets', 'update operators', 'update dirty_sets']);
  });

  it('of a recomputation prepare a write intent before the record, and commit it after', async () => {
    const operator = await world().enrol('recomputed-one');
    writes = [];
    expect(await engine().repair.recompute(operator)).to.equal(true);
    expect(writes).to.deep.equal(['insert dirty_sets', 'update operators', 'update dirty_sets']);
  });

  it('of reconciliation mark operators dirty before the progress is stored', async () => {
    await world().connection.collection('dirty_sets').deleteMany({});
    world().now += HOUR_MS;
    writes = [];
    expect(await engine().reconcileOperators()).to.be.above(0);
    expect(writes).to.deep.equal(['insert dirty_sets', 'update progress']);
  });

  it('of the next hour follow reads of due operators, and then of pending intents', async () => {
    // In the other order, an operator could get an intent and leave `due` between the two reads.
    world().now += 200 * HOUR_MS;
    reads = [];
    await publish();
    expect(reads).to.deep.equal(['due operators', 'prepared intents']);
  });

  it('of the catch-up log insert the merged entry before deleting the others', async () => {
    const { catchUpLog } = openStores(connection());
    for (const version of [1, 2]) await catchUpLog.add(version, [version]);
    writes = [];
    await catchUpLog.compact(2, 1);
    expect(writes).to.deep.equal(['insert catch_up_log', 'delete catch_up_log']);
  });

  it('of retention store the rollup, then delete snapshots, then verdicts', async () => {
    const entry = world().entry(await world().enrol('retained-one'), COUNTS);
    await engine().processBatch(await append(entry), [entry]);
    await world()
      .connection.collection('snapshots')
      .deleteMany({ _id: { $not: new RegExp(entry.jti) } });
    world().now += 102 * DAY_MS;
    writes = [];
    expect(await engine().repair.retainLog()).to.equal(1);
    expect(writes).to.deep.equal(['insert rollups', 'delete snapshots', 'delete verdicts']);
  });

  it('that are acknowledged are journaled by a majority', async () => {
    await publish();
    const acknowledged = ['insert snapshots', 'update operators', 'insert verdicts', 'update verdicts'];
    const derived = ['insert dirty_sets', 'update dirty_sets', 'update board_manifests', 'insert board_segments'];
    expect([...seen]).to.include.members([...acknowledged, ...derived]);
    for (const write of [...acknowledged, ...derived]) expect([...weak], write).to.not.include(write);
  });
});
