import { readdirSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { startApi } from '../../../api/start-api.ts';
import { loadServiceConfig } from '../../../config/config.ts';
import { createBilling } from '../../../engine/billing/index.ts';
import { WINDOWS } from '../../../engine/contract/windows.ts';
import { MIGRATIONS, UnfinishedImportError, watchMongo } from '../../../engine/mongo/index.ts';
import type { Manifest } from '../../../ops/commands/data/manifest.ts';
import { createLifecycle } from '../../../ops/runtime/lifecycle.ts';
import { createLogger } from '../../../ops/runtime/telemetry/index.ts';
import { startWorker } from '../../../workers/start-worker.ts';
import { openRepairFixture } from '../../engine/ranking/repair/repair-fixture.ts';
import { rethrow } from '../../support/rethrow.ts';
import { useFolder } from '../../support/temporary-folder.ts';
import { useFreshFixture } from '../../support/use-fixture.ts';
import { withSyncs } from '../../support/with-syncs.ts';
import { type CommandResult, run } from './run.ts';

describe('backup and restore', () => {
  const fixture = useFreshFixture(() => openRepairFixture(6, 6, 41));
  const folder = useFolder();

  beforeEach(async () => {
    // The device keys as the service stores them, so that commands can verify signatures.
    const devices = [...fixture().keys.values()].map(({ kid, operator, publicKey }, slot) => ({
      _id: kid,
      operator,
      x: publicKey,
      name: null,
      created_at: new Date(0),
      slot,
    }));
    await fixture().world.connection.collection<(typeof devices)[number]>('devices').insertMany(devices);
  });

  const data = (...args: readonly string[]): Promise<CommandResult> =>
    run(fixture().world.database, ['data', ...args], {}, fixture().world.now + 1_000);
  const wipe = (): Promise<unknown> => fixture().world.connection.dropDatabase();
  const manifest = async (): Promise<Manifest> => JSON.parse(await readFile(join(folder(), 'manifest.json'), 'utf8'));
  const rewrite = (changed: Manifest): Promise<void> =>
    writeFile(join(folder(), 'manifest.json'), JSON.stringify(changed));

  /** Everything that readers return, current and historical. */
  async function everything(): Promise<unknown> {
    const reader = await fixture().world.another().openBoardReader(rethrow);
    const histories = await Promise.all(
      fixture().owners.flatMap(({ codename }) => WINDOWS.map((window) => reader.history(codename, window))),
    );
    await reader.close();
    return { answers: await fixture().answers(), histories };
  }

  async function stored(): Promise<Record<string, unknown>> {
    const db = fixture().world.connection.db;
    const found: Record<string, unknown> = {};
    for (const { name } of (await db?.listCollections().toArray()) ?? []) {
      if (['leases', 'imports'].includes(name)) continue;
      const documents = await db
        ?.collection(name)
        .find({}, { sort: { _id: 1 } })
        .toArray();
      if (documents !== undefined && documents.length > 0) found[name] = documents;
    }
    return found;
  }

  it('restore every document and every query result', async () => {
    const [before, kept] = [await everything(), await stored()];
    const exported = await data('export', folder(), '--json');
    expect(exported.status, exported.err).to.equal(0);
    await wipe();
    const imported = await data('import', folder(), '--yes', '--json');
    expect(imported.status, imported.err).to.equal(0);
    expect(JSON.parse(imported.out)).to.deep.include({ recomputed: 0, differing: 0 });
    expect(await everything()).to.deep.equal(before);
    expect(await stored()).to.deep.equal(kept);
    expect(await fixture().ranking.repair.verify()).to.deep.equal([]);
  });

  it('record when an export finished, for the alert about its age', async () => {
    const { connection, now } = fixture().world;
    const { readStored } = watchMongo(connection);
    expect((await readStored()).exportedAt).to.equal(null);
    expect((await data('export', folder())).status).to.equal(0);
    const { exportedAt, disk, stored: bytes } = await readStored();
    expect(exportedAt).to.equal(now + 1_000);
    expect(bytes.log).to.be.above(0).and.below(bytes.database);
    expect(disk.used).to.be.above(bytes.log).and.below(disk.total);
  });

  it('restore payments, and export no record that refers to a missing payment', async () => {
    const { connection } = fixture().world;
    const { payments } = createBilling({ connection });
    const paid = { provider: 'stripe', kind: 'subscription', amount: 500, currency: 'usd', occurredAt: 1 } as const;
    for (const id of ['in_1', 'in_2', 'in_3']) await payments.record({ ...paid, id, subject: 'subject-1' });
    await payments.record({ ...paid, provider: 'x402', kind: 'x402', id: 'eip155:84532/0x1', currency: 'usdc' });
    const others = ['billing_accounts', 'billing_events', 'purchases', 'sold_answers', 'sold_answer_pieces'];
    for (const name of others) await connection.collection(name).insertOne({ made_at: new Date(0), name });
    const kept = await stored();
    expect(kept).to.include.keys('payments', ...others);

    expect((await data('export', folder())).status).to.equal(0);
    const order = (await manifest()).collections.map(({ name }) => name);
    for (const name of ['billing_events', 'purchases']) {
      expect(order.indexOf(name), name).to.be.below(order.indexOf('payments'));
    }
    await wipe();
    expect((await data('import', folder(), '--yes')).status).to.equal(0);
    expect(await stored()).to.deep.equal(kept);
    expect(await payments.record({ ...paid, id: 'in_2', subject: 'subject-1' })).to.equal(false);
  });

  it('have each file on disk before its name: a power cut leaves none that is empty', async () => {
    const synced: string[] = [];
    const { status } = await withSyncs(
      () => void synced.push(...readdirSync(folder())),
      () => data('export', folder()),
    );
    expect(status).to.equal(0);
    const files = readdirSync(folder());
    expect(files).to.include('manifest.json');
    expect(synced).to.include.members(files.map((name) => `${name}.new`));
  });

  it('resume after an interruption', async () => {
    const before = await everything();
    await data('export', folder());
    const complete = await manifest();
    const collections = complete.collections.map((each) =>
      ['snapshots', 'rollups'].includes(each.name) ? { ...each, done: false, chunks: [] } : each,
    );
    await rewrite({ ...complete, finished_at: null, collections });
    expect((await data('import', folder(), '--yes')).err).to.include('incomplete');
    expect((await data('export', folder())).status).to.equal(0);
    expect((await manifest()).collections).to.deep.equal(complete.collections);
    expect((await data('export', folder())).err).to.include('already holds an export');

    await wipe();
    const { chunks } = complete.collections.find(({ name }) => name === 'snapshots')!;
    const file = join(folder(), chunks[0]!.file);
    const bytes = await readFile(file);
    await writeFile(file, bytes.subarray(0, 100));
    const failed = await data('import', folder(), '--yes');
    expect(failed.status).to.equal(1);
    expect(failed.err).to.include(`${chunks[0]!.file} of the export is damaged`);
    expect((await run(fixture().world.database, ['board', 'verify'])).err).to.include('unfinished import');
    await writeFile(file, bytes);
    // It goes on where it stopped: what it stored is not read again.
    const files = complete.collections.flatMap((each) => each.chunks.map((chunk) => chunk.file));
    const done = files.slice(0, files.indexOf(chunks[0]!.file));
    expect(done).to.include('board_manifests.00000.bson.gz').and.include('operators.00000.bson.gz');
    for (const name of done) await rm(join(folder(), name));
    expect((await data('import', folder(), '--yes')).status).to.equal(0);
    expect(await everything()).to.deep.equal(before);
  });

  it('are used only once they are complete', async () => {
    const { connection, database } = fixture().world;
    await connection.collection<{ _id: string }>('imports').insertOne({ _id: 'import' });
    const list = join(folder(), 'erasures');
    await writeFile(list, '');
    const commands = [
      ['data', 'export', folder()],
      ['erasures', 'replay', list],
      ['board', 'verify', '--repair', '--yes'],
      ['migrations', 'run', '--yes'],
    ];
    for (const command of commands) {
      const { status, out, err } = await run(database, command);
      expect([status, out], err).to.deep.equal([1, '']);
      expect(err).to.match(/^Error: the database holds an unfinished import .*: repeat "data import FOLDER --yes"/);
    }
    expect(readdirSync(folder())).to.deep.equal(['erasures']);
    const log = createLogger({ name: 'test', logLevel: 'silent' });
    const { mongoUrl, redisUrl, prefix } = database;
    const loaded = loadServiceConfig({ MONGODB_URL: mongoUrl, REDIS_URL: redisUrl });
    const config = { ...loaded, port: 0, metricsPort: 0, workerMetricsPort: 0 };
    for (const start of [startApi, startWorker]) {
      const lifecycle = createLifecycle({ log, deadlineMs: 10_000 });
      const refused = await start({ config, log, lifecycle, clock: Date.now, prefix }).catch((error: unknown) => error);
      await lifecycle.close('the test is over');
      expect(refused, start.name).to.be.instanceOf(UnfinishedImportError);
    }
  });

  it('keep what was exported before they were cut', async () => {
    // No file can be made there.
    const blocked = join(folder(), 'snapshots.00000.bson.gz.new');
    await mkdir(blocked, { recursive: true });
    expect((await data('export', folder())).status).to.equal(1);
    const { collections } = await manifest();
    const isDone = new Map(collections.map(({ name, done }) => [name, done]));
    expect([isDone.get('operators'), isDone.get('verdicts'), isDone.get('snapshots')]).to.deep.equal([
      true,
      true,
      false,
    ]);
    await rm(blocked, { recursive: true });
    expect((await data('export', folder())).status).to.equal(0);
  });

  it('store all of a file or fail, and then not say that it was stored', async () => {
    const { connection } = fixture().world;
    const purchases = connection.collection<{ _id: number; name: string }>('purchases');
    await purchases.insertMany(Array.from({ length: 1_500 }, (_, _id) => ({ _id, name: `name-${_id >> 1}` })));
    expect((await data('export', folder())).status).to.equal(0);
    await wipe();
    // It refuses a document of the first of two commands.
    const unique = await purchases.createIndex({ name: 1 }, { unique: true });
    const failed = await data('import', folder(), '--yes');
    expect([failed.status, failed.err])
      .to.deep.equal([1, failed.err])
      .and.to.match(/E11000|duplicate/);
    const state = await connection.collection<{ stored: string[] }>('imports').findOne({});
    expect(state?.stored).to.not.include('purchases.00000.bson.gz');
    await purchases.dropIndex(unique);
    expect((await data('import', folder(), '--yes')).status).to.equal(0);
    expect(await purchases.countDocuments()).to.equal(1_500);
  });

  it('are readable by their owner alone, and read what is derived before what it is derived from', async () => {
    const made = join(folder(), 'made');
    expect((await data('export', made)).status).to.equal(0);
    expect((await stat(made)).mode & 0o777).to.equal(0o700);
    for (const name of await readdir(made)) expect((await stat(join(made, name))).mode & 0o777, name).to.equal(0o600);
    const { collections }: Manifest = JSON.parse(await readFile(join(made, 'manifest.json'), 'utf8'));
    const order = ['board_manifests', 'board_segments', 'operators', 'verdicts', 'snapshots', 'sequences'];
    const places = order.map((name) => collections.findIndex((each) => each.name === name));
    expect(places)
      .to.deep.equal(places.toSorted((a, b) => a - b))
      .and.to.not.include(-1);
  });

  it('make data that were written during the export consistent', async () => {
    await data('export', folder());
    const before = await manifest();
    const { operator } = fixture().owners[3]!;
    fixture().world.now += 3_000;
    await fixture().submit([fixture().world.entry(operator, { input: 1, output: 1e6, cache_read: 50 })]);
    // As if the log had been read after the submission, and operators and the board before it.
    const collections = before.collections.map((each) =>
      ['verdicts', 'snapshots'].includes(each.name) ? { ...each, done: false, chunks: [] } : each,
    );
    await rewrite({ ...before, finished_at: null, collections });
    expect((await data('export', folder())).status).to.equal(0);
    await fixture().publish();
    const answers = await fixture().answers();

    await wipe();
    const imported = await data('import', folder(), '--yes', '--json');
    expect(JSON.parse(imported.out)).to.deep.include({ recomputed: 1 });
    await fixture().publish();
    expect(await fixture().answers()).to.deep.equal(answers);
    expect(await fixture().ranking.repair.verify()).to.deep.equal([]);
  });

  it('restore an export that was made inside a backlog', async () => {
    const waiting = fixture()
      .owners.slice(0, 3)
      .map(({ operator }, index) => {
        return fixture().world.entry(operator, { input: 1, output: 2e6 + index, cache_read: 60 });
      });
    for (const entry of waiting) await fixture().ranking.log.append([entry]);
    expect((await data('export', folder())).status).to.equal(0);
    await wipe();
    expect((await data('import', folder(), '--yes')).status).to.equal(0);
    const left = 'Nothing differs.\n3 operators have snapshots without a verdict: not compared.\n';
    expect(await run(fixture().world.database, ['board', 'verify'])).to.deep.equal({ status: 0, out: left, err: '' });
    // What a worker does when it starts: nothing that was acknowledged is lost.
    fixture().world.now += 10_000;
    const batches: string[] = [];
    await fixture().ranking.reconcileLog(async (batch) => void batches.push(batch));
    expect(batches).to.have.length(3);
    for (const batch of batches)
      await fixture().ranking.processBatch(batch, await fixture().ranking.log.ofBatch(batch));
    await fixture().publish();
    expect(await fixture().ranking.repair.verify()).to.deep.equal([]);
    for (const { operator, jti } of waiting) {
      expect(await fixture().ranking.log.findVerdict(operator, jti)).to.have.nested.property('verdict.accepted', true);
    }
  });

  it('refuse to merge or overwrite data', async () => {
    expect((await data('import', folder(), '--yes')).err).to.include('contains no export');
    await data('export', folder());
    expect((await data('import', folder())).err).to.include('--yes');
    expect((await data('import', folder(), '--yes')).err).to.include('not empty');
    const exported = await manifest();
    await rewrite({ ...exported, format: 2 });
    expect((await data('import', folder(), '--yes')).err).to.include('has format 2');
    for (const data_version of [undefined, MIGRATIONS.from - 1]) {
      await writeFile(join(folder(), 'manifest.json'), JSON.stringify({ ...exported, data_version }));
      expect((await data('import', folder(), '--yes')).err).to.include(MIGRATIONS.lastReader);
    }
    await writeFile(join(folder(), 'manifest.json'), '{}');
    expect((await data('import', folder(), '--yes')).err).to.include('not the manifest');
  });
});
