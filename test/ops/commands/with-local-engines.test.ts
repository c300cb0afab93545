import { createHash, createSecretKey, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { processEnvironment } from '../../../config/env.ts';
import { createAccounts } from '../../../engine/accounts/index.ts';
import { openMongo } from '../../../engine/mongo/index.ts';
import { startEngines } from '../../../ops/local/start-engines.ts';
import { lockFolder } from '../../../ops/local/starter/folder-lock.ts';
import { freshDatabase } from '../../support/engines.ts';
import { run } from './run.ts';

const NO_EVENTS = { ended: () => undefined, restarted: () => undefined, gaveUp: () => undefined };

describe('keys discard-unreadable over a data folder', () => {
  it('starts the local engines when none runs, and stops them', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'upsilon-discard-'));
    const { redisUrl, ...database } = await freshDatabase();
    const environment = processEnvironment();
    const lost = createSecretKey(randomBytes(32));
    const engines = await startEngines({ mongoUrl: undefined, redisUrl, dataDir, environment }, NO_EVENTS);
    const connection = await openMongo(engines.mongo.url);
    const accounts = createAccounts({ connection, clock: Date.now, secretsKeys: [lost] });
    await accounts.storedSecrets.encrypt();
    await connection.close();
    await engines.stop();

    const settings = {
      PATH: environment['PATH'] ?? '',
      MONGODB_URL: '',
      DATA_DIR: dataDir,
      SECRETS_KEY: randomBytes(32).toString('base64url'),
    };
    const discard = () => run({ ...database, redisUrl }, ['keys', 'discard-unreadable', '--yes', '--json'], settings);
    const done = await discard();
    expect(done.status, done.err).to.equal(0);
    expect(JSON.parse(done.out).discarded).to.have.length(1);
    expect((await discard()).err).to.include('every stored secret can be decrypted');
    await rm(dataDir, { recursive: true });
  });
});

describe('a restore where no service runs', () => {
  it('start the local engines over the data folder, make a folder that is not there, and stop them', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'upsilon-moved-'));
    const fresh = await freshDatabase();
    const over = (folder: string) => ({
      PATH: processEnvironment()['PATH'] ?? '',
      MONGODB_URL: '',
      DATA_DIR: join(parent, folder),
    });
    const ops = (folder: string, ...args: readonly string[]) => run(fresh, args, over(folder));
    async function operatorsIn(folder: string): Promise<string> {
      const to = await mkdtemp(join(parent, 'export-'));
      expect((await ops(folder, 'data', 'export', to)).status).to.equal(0);
      const files = (await readdir(to)).filter((file) => file.startsWith('operators.'));
      return (await Promise.all(files.map(async (file) => gunzipSync(await readFile(join(to, file)))))).join('');
    }
    await mkdir(join(parent, 'first/empty'), { recursive: true });
    const { redisUrl } = fresh;
    const choice = { mongoUrl: undefined, redisUrl, dataDir: join(parent, 'first'), environment: processEnvironment() };
    const engines = await startEngines(choice, NO_EVENTS);
    const made = await run(fresh, ['operator', 'create', 'moved-heron'], { MONGODB_URL: engines.mongo.url });
    const connection = await openMongo(engines.mongo.url);
    const account = await createAccounts({ connection, clock: Date.now, secretsKeys: [] }).byOperator(1);
    await connection.close();
    await engines.stop();
    expect(made.status, made.err).to.equal(0);
    const exported = await ops('first', 'data', 'export', join(parent, 'export'));
    expect(exported.status, exported.err).to.equal(0);
    expect((await ops('second', 'data', 'import', join(parent, 'export'))).err).to.include('--yes');
    expect(await readdir(parent), 'made by an import that was refused').to.not.include('second');
    const imported = await ops('second', 'data', 'import', join(parent, 'export'), '--yes');
    expect(imported.status, imported.err).to.equal(0);
    expect(imported.out).to.match(/^Imported [1-9]/);
    // Before anybody sees the restored data.
    expect(await operatorsIn('second')).to.include('moved-heron');
    const subject_hash = createHash('sha256').update(account!.subject).digest('base64url');
    const erasure = { operator: 1, subject_hash, erased_at: new Date(0).toISOString() };
    await writeFile(join(parent, 'erasures'), `${JSON.stringify(erasure)}\n`);
    const replayed = await ops('second', 'erasures', 'replay', join(parent, 'erasures'));
    expect(replayed.out, replayed.err).to.equal('Replayed 1 erasure.\n');
    expect(replayed.err).to.include(join(parent, 'second'));
    expect(await operatorsIn('second')).to.not.include('moved-heron');
    const verified = await ops('second', 'board', 'verify');
    expect(verified.out, verified.err).to.include('Nothing differs.');
    expect((await ops('second', 'erasures', 'list')).out).to.equal(`${JSON.stringify(erasure)}\n`);
    expect((await ops('second', 'archive', 'verify')).err).to.match(/^Error: there is no archive/);
    // A killed "npm start" leaves its note. The lock of a command is not that of the note.
    await writeFile(join(parent, 'second/run.json'), '{}');
    expect((await ops('second', 'erasures', 'list')).status).to.equal(0);
    expect(await readdir(join(parent, 'second'))).to.not.include('run.json');
    expect((await ops('missing', 'board', 'verify')).err).to.include('missing (DATA_DIR) holds no MongoDB data');
    expect(await readdir(parent)).to.not.include('missing');
    const lock = await lockFolder(join(parent, 'second'));
    expect((await ops('second', 'board', 'verify')).err).to.include(`a process uses ${join(parent, 'second')}`);
    await lock?.release();
    // An empty folder is another than that of the service.
    expect((await ops('first/empty', 'data', 'export', join(parent, 'none'))).status).to.equal(1);
    expect(await readdir(parent)).to.not.include('none');
    expect((await ops('first/empty', 'board', 'verify')).err).to.include(
      'first/empty (DATA_DIR) holds no MongoDB data',
    );
    expect((await ops('export/manifest.json', 'board', 'verify')).err).to.include('cannot be used (it is a file)');
    expect(await readdir(join(parent, 'first/empty'))).to.deep.equal([]);
    await rm(parent, { recursive: true });
  });
});
