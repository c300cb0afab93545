import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { MIGRATIONS, migrate, openMongo } from '../../../engine/mongo/index.ts';
import { lockFolder } from '../../../ops/local/starter/folder-lock.ts';
import { writeRunNote } from '../../../ops/local/starter/run-note.ts';
import { freshDatabase } from '../../support/engines.ts';
import { listenOnFreePort } from '../../support/listen.ts';
import { useSuiteFolder } from '../../support/temporary-folder.ts';
import { useFixture } from '../../support/use-fixture.ts';
import { run } from './run.ts';

const UNSET = { MONGODB_URL: '', REDIS_URL: '' };

describe('operator commands with a running service', () => {
  const database = useFixture(freshDatabase);
  const dataDir = useSuiteFolder();
  let lock: Awaited<ReturnType<typeof lockFolder>>;
  before(async () => {
    lock = await lockFolder(dataDir());
    await writeRunNote(dataDir(), {
      pid: process.pid,
      started_at: '2026-03-01T00:00:00.000Z',
      mongo_url: database().mongoUrl,
      redis_url: database().redisUrl,
      base_url: 'https://board.example/api/v1',
      auth_url: 'https://auth.example',
    });
  });
  after(() => lock?.release());

  it('find its databases through the data folder and mint tokens that it accepts', async () => {
    const { status, out } = await run(database(), ['operator', 'create', 'sample-fox', '--json'], {
      ...UNSET,
      DATA_DIR: dataDir(),
    });
    expect(status).to.equal(0);
    expect(decodeJwt(JSON.parse(out).access_token)).to.include({
      aud: 'https://board.example/api/v1',
      iss: 'https://auth.example',
    });
    expect((await run(database(), ['jobs', 'failed'], { ...UNSET, DATA_DIR: dataDir() })).status).to.equal(0);
  });

  it('use its addresses also when MONGODB_URL is set to its database', async () => {
    const { out } = await run(database(), ['operator', 'token', 'sample-fox', '--json'], { DATA_DIR: dataDir() });
    expect(JSON.parse(out).base_url).to.equal('https://board.example/api/v1');
  });

  it('refuse an import into its database', async () => {
    const given = { DATA_DIR: dataDir() };
    const folder = join(dataDir(), 'export');
    expect((await run(database(), ['data', 'export', folder], given)).status).to.equal(0);
    for (const environment of [given, { ...given, ...UNSET }]) {
      const { status, err } = await run(database(), ['data', 'import', folder, '--yes'], environment);
      expect([status, err])
        .to.deep.equal([1, err])
        .and.to.match(/is running over .*Stop it/s);
    }
    const other = await freshDatabase();
    const { status, err } = await run(other, ['data', 'import', folder, '--yes'], given);
    expect(status, err).to.equal(0);
  });

  it('use another database when MONGODB_URL is set to one', async () => {
    const other = await freshDatabase();
    const { out } = await run(other, ['operator', 'create', 'sample-fox', '--json'], { DATA_DIR: dataDir() });
    expect(JSON.parse(out).base_url).to.equal('http://api.localhost/api/v1');
  });

  it('report the remedy when no service runs', async () => {
    for (const args of [
      ['operator', 'show', 'sample-fox'],
      ['jobs', 'failed'],
      ['jobs', 'retry', '--all'],
    ]) {
      const { status, out, err } = await run(database(), args, UNSET);
      expect({ status, out }).to.deep.equal({ status: 1, out: '' });
      expect(err).to.match(
        /^Error: no running service was found\.\n\w+_URL is not set, and no "npm start" runs over \S+ \(DATA_DIR\)/,
      );
    }
  });

  it('name the setting of a store that refuses connections, or takes them and is silent', async () => {
    const silent = createServer();
    const open = new Set<Socket>();
    silent.on('connection', (socket) => open.add(socket));
    for (const port of [9, await listenOnFreePort(silent)]) {
      const [mongo, redis] = [`mongodb://127.0.0.1:${port}/upsilon`, `redis://127.0.0.1:${port}`];
      for (const [args, url, variable] of [
        [['operator', 'show', 'sample-fox'], mongo, 'MONGODB_URL'],
        [['queues', 'list'], redis, 'REDIS_URL'],
      ] as const) {
        const { status, err } = await run(database(), args, { MONGODB_URL: mongo, REDIS_URL: redis });
        expect(status).to.equal(1);
        expect(err).to.include(`${url} does not respond`).and.include(`The address is that of ${variable}`);
      }
    }
    for (const socket of open) socket.destroy();
    silent.close();
  });

  it('make no index where the service has run', async () => {
    const connection = await openMongo(database().mongoUrl);
    const collections = await connection.db!.collections();
    for (const collection of collections) await collection.dropIndexes();
    for (const args of [
      ['operator', 'show', 'sample-fox'],
      ['moderator', 'list'],
      ['keys', 'list'],
      ['migrations', 'status'],
      ['erasures', 'list'],
    ]) {
      expect((await run(database(), args)).status, args.join(' ')).to.equal(0);
    }
    for (const collection of collections) expect(await collection.indexes()).to.have.length(1);
    await connection.close();
  });

  it('leave data that the service reads, where a command came before its first start', async () => {
    const fresh = await freshDatabase();
    expect((await run(fresh, ['operator', 'create', 'sample-fox'])).status).to.equal(0);
    const connection = await openMongo(fresh.mongoUrl);
    expect(await migrate(connection, { migrations: MIGRATIONS, clock: Date.now })).to.deep.equal([]);
    await connection.dropDatabase();
    await connection.close();
  });
});
