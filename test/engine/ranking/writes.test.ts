import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { type Connection, createConnection } from 'mongoose';
import type { LogEntry, Ranking } from '../../../engine/ranking/index.ts';
import { openStores } from '../../../engine/ranking/storage/stores.ts';
import { openRankingWorld, type RankingWorld } from '../../support/ranking-world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WRITES: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'findAndModify']);
const COUNTS = { input: 10, output: 20, cache_read: 30 };

describe('the writes of the engine', () => {
  let world: RankingWorld;
  let engine: Ranking;
  let connection: Connection;
  /** Commands that change something, with their collections, in their order. */
  let writes: string[] = [];
  let reads: string[] = [];
  /** Those that the journals of a majority did not have to confirm. */
  const weak = new Set<string>();
  const seen = new Set<string>();

  before(async () => {
    world = await openRankingWorld();
    connection = await createConnection(world.database.mongoUrl, { monitorCommands: true }).asPromise();
    connection.getClient().on('commandStarted', ({ commandName, command }) => {
      const filter = JSON.stringify(command['filter'] ?? {});
      if (filter.includes('"prepared_at":{"$exists":true}')) reads.push('prepared intents');
      if (filter.includes('"next_due":')) reads.push('who is due');
      if (!WRITES.has(commandName)) return;
      const write = `${commandName} ${String(command[commandName])}`;
      writes.push(write);
      seen.add(write);
      const concern: unknown = command['writeConcern'];
      if (!isDeepStrictEqual(concern, { w: 'majority', j: true })) weak.add(write);
    });
    engine = world.another({ connection });
  });

  after(async () => {
    await connection.close();
    await world.close();
  });

  async function append(entry: LogEntry): Promise<string> {
    const [stored] = await engine.log.append([entry]);
    if (stored?.kind !== 'stored') throw new Error('not stored');
    writes = [];
    return stored.batch;
  }

  async function publish(): Promise<void> {
    const committer = engine.createCommitter(
      () => undefined,
      (error) => {
        throw error;
      },
    );
    await committer.tick();
    await committer.close();
  }

  it('fold a group, then list its operators, then record its verdicts', async () => {
    const entry = world.entry(await world.enrol('folded-one'), COUNTS);
    await engine.processBatch(await append(entry), [entry]);
    expect(writes).to.deep.equal(['update operators', 'insert dirty_sets', 'insert verdicts']);
  });

  it('correct a verdict only once the fold of its entry is listed', async () => {
    const entry = world.entry(await world.enrol('poisoned-one'), COUNTS);
    const batch = await append(entry);
    const broken = world.another({ deviceKeys: () => Promise.reject(new TypeError('a mistake')) });
    await broken.processBatchByEntry(batch, [entry]);
    await engine.reprocessPoisoned();
    expect(writes).to.deep.equal(['update operators', 'insert dirty_sets', 'update verdicts']);
  });

  it('forget change lists only once the version that saw them is published', async () => {
    writes = [];
    await publish();
    const published = writes.filter((write) => /board_manifests|dirty_sets/.test(write));
    expect(published.slice(0, 2)).to.deep.equal(['update board_manifests', 'delete dirty_sets']);
    const beforeManifest = writes.slice(0, writes.indexOf('update board_manifests'));
    expect(beforeManifest).to.include.members(['insert board_segments', 'insert board_top_entries']);
  });

  it('forget change lists in which nobody changed only once no former reader of them can publish', async () => {
    await openStores(connection).dirtySets.add([1], world.now);
    writes = [];
    await publish();
    const published = writes.filter((write) => /board_manifests|dirty_sets/.test(write));
    expect(published).to.deep.equal(['update board_manifests', 'delete dirty_sets']);
  });

  it('announce who is due for an hour before their records move, and list them after', async () => {
    world.now += 200 * HOUR_MS;
    writes = [];
    expect(await engine.advanceHour()).to.be.above(0);
    const turned = writes.filter((write) => /operators|dirty_sets/.test(write));
    expect(turned.slice(-3)).to.deep.equal(['insert dirty_sets', 'update operators', 'update dirty_sets']);
  });

  it('announce who is folded again from the log before the record is replaced, and list it after', async () => {
    const operator = await world.enrol('folded-again');
    writes = [];
    expect(await engine.repair.recompute(operator)).to.equal(true);
    expect(writes).to.deep.equal(['insert dirty_sets', 'update operators', 'update dirty_sets']);
  });

  it('list who differs from the board before the walk has passed them', async () => {
    await world.connection.collection('dirty_sets').deleteMany({});
    world.now += HOUR_MS;
    writes = [];
    expect(await engine.reconcileOperators()).to.be.above(0);
    expect(writes).to.deep.equal(['insert dirty_sets', 'update progress']);
  });

  it('of the next hour follow a look at who is due, and then at held lists', async () => {
    // The other way round, an operator could be announced and cease to be due between the two.
    world.now += 200 * HOUR_MS;
    reads = [];
    await publish();
    expect(reads).to.deep.equal(['who is due', 'prepared intents']);
  });

  it('keep who changed in one entry before the others of it are deleted', async () => {
    const { catchUpLog } = openStores(connection);
    for (const version of [1, 2]) await catchUpLog.add(version, [version]);
    writes = [];
    await catchUpLog.compact(2, 1);
    expect(writes).to.deep.equal(['insert catch_up_log', 'delete catch_up_log']);
  });

  it('carry what old snapshots came to before those are deleted, and then their verdicts', async () => {
    const entry = world.entry(await world.enrol('carried-one'), COUNTS);
    await engine.processBatch(await append(entry), [entry]);
    await world.connection.collection('snapshots').deleteMany({ _id: { $not: new RegExp(entry.jti) } });
    world.now += 102 * DAY_MS;
    writes = [];
    expect(await engine.repair.retainLog()).to.equal(1);
    expect(writes).to.deep.equal(['insert rollups', 'delete snapshots', 'delete verdicts']);
  });

  it('are in the journals of a majority where they are acknowledged', async () => {
    await publish();
    const acknowledged = ['insert snapshots', 'update operators', 'insert verdicts', 'update verdicts'];
    const derived = ['insert dirty_sets', 'update dirty_sets', 'update board_manifests', 'insert board_segments'];
    expect([...seen]).to.include.members([...acknowledged, ...derived]);
    for (const write of [...acknowledged, ...derived]) expect([...weak], write).to.not.include(write);
  });
});
