import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { processEnvironment } from '../../../config/env.ts';
import { createAccounts } from '../../../engine/accounts/index.ts';
import { openMongo } from '../../../engine/mongo/index.ts';
import { startEngines } from '../../../ops/local/start-engines.ts';
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

describe('data export and import where no service runs', () => {
  it('start the local engines over the data folder, make a folder that is not there, and stop them', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'upsilon-moved-'));
    const fresh = await freshDatabase();
    const over = (folder: string) => ({
      PATH: processEnvironment()['PATH'] ?? '',
      MONGODB_URL: '',
      DATA_DIR: join(parent, folder),
    });
    const data = (args: readonly string[], folder: string) => run(fresh, ['data', ...args], over(folder));
    await mkdir(join(parent, 'first'));
    const { redisUrl } = fresh;
    const choice = { mongoUrl: undefined, redisUrl, dataDir: join(parent, 'first'), environment: processEnvironment() };
    const engines = await startEngines(choice, NO_EVENTS);
    const made = await run(fresh, ['operator', 'create', 'moved-heron'], { MONGODB_URL: engines.mongo.url });
    await engines.stop();
    expect(made.status, made.err).to.equal(0);
    const exported = await data(['export', join(parent, 'export')], 'first');
    expect(exported.status, exported.err).to.equal(0);
    const imported = await data(['import', join(parent, 'export'), '--yes'], 'second');
    expect(imported.status, imported.err).to.equal(0);
    expect(imported.out).to.match(/^Imported [1-9]/);
    await rm(parent, { recursive: true });
  });
});
