import { createSecretKey, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { createAccounts } from '../../engine/accounts/index.ts';
import { type Connection, openMongo } from '../../engine/mongo/index.ts';
import { run } from '../ops/commands/run.ts';
import { type FreshDatabase, freshDatabase } from '../support/engines.ts';
import { type RunningService, runService } from '../support/running-service.ts';
import { startServiceProcesses } from '../support/service-processes.ts';
import { useSuiteFolder } from '../support/temporary-folder.ts';

const [KEY, NEXT] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
const RUNBOOK = 'ops/docs/runbooks/secrets-key-lost.md';
/** What a process ends with when it cannot use its settings. */
const SETTINGS_STATUS = 78;

/** Everything of a database, byte by byte. */
async function bytesOf({ db }: Connection): Promise<Buffer> {
  if (db === undefined) throw new Error('not connected');
  const names = (await db.listCollections().toArray()).map(({ name }) => name);
  const found = await Promise.all(
    names.map((name) => db.collection(name).find<Uint8Array>({}, { raw: true }).toArray()),
  );
  return Buffer.concat(found.flat());
}

async function bytesOfExport(folder: string): Promise<Buffer> {
  const files = await readdir(folder);
  const read = files.map(async (name) => {
    const bytes = await readFile(join(folder, name));
    return name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
  });
  return Buffer.concat(await Promise.all(read));
}

/** Signing keys, cookie keys and form keys as a holder of the key reads them. */
async function secretsOf(connection: Connection, ...keys: readonly string[]): Promise<Buffer[]> {
  const secretsKeys = keys.map((key) => createSecretKey(Buffer.from(key, 'base64url')));
  const accounts = createAccounts({ connection, clock: Date.now, secretsKeys });
  const shared = ['form-tokens', 'authorization-server-cookies'].map((name) => accounts.sharedSecret(name));
  const { keys: signing } = await accounts.signingKeys.signingSet();
  return [
    ...(await Promise.all(shared)).map((text) => Buffer.from(text)),
    ...signing.map(({ privateKey }) => privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)),
  ];
}

describe('secrets at rest', () => {
  let service: RunningService;
  let secrets: readonly Buffer[];
  const folder = useSuiteFolder();

  before(async () => {
    // What an installation without a key left in MongoDB.
    const database = await freshDatabase();
    const connection = await openMongo(database.mongoUrl);
    secrets = await secretsOf(connection);
    const bytes = await bytesOf(connection);
    for (const secret of secrets) expect(bytes.includes(secret)).to.equal(true);
    await connection.close();
    service = await runService({ database, settings: { SECRETS_KEY: KEY } });
  });
  after(() => service[Symbol.asyncDispose]());

  const exported = (name: string, environment: Readonly<Record<string, string>>) =>
    run(service.database, ['data', 'export', join(folder(), name)], environment, service.now);

  async function imported(name: string): Promise<FreshDatabase> {
    const database = await freshDatabase();
    const result = await run(database, ['data', 'import', join(folder(), name), '--yes'], {}, service.now);
    expect(result.status, result.err).to.equal(0);
    return database;
  }

  it('are encrypted when the service starts with a key, and work as before', async () => {
    const origin = new URL(service.baseUrl).origin;
    expect((await fetch(`${origin}/login`)).status).to.equal(200);
    expect((await fetch(`${origin}/oauth/authorize`)).status).to.be.below(500);
    const { token } = await service.operator('at-rest');
    const me = await fetch(`${service.baseUrl}/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(me.status).to.equal(200);
    expect(await secretsOf(service.connection, KEY)).to.deep.equal(secrets);
    const bytes = await bytesOf(service.connection);
    for (const secret of secrets) expect(bytes.includes(secret)).to.equal(false);
  });

  it('make api and worker refuse to start without the key or with another, and are identified in the error', async () => {
    const { mongoUrl, redisUrl } = service.database;
    const { origin } = new URL(service.baseUrl);
    const addresses = { BASE_URL: service.baseUrl, SITE_URL: origin, LOGIN_URL: origin, AUTH_URL: origin };
    const start = (apis: number, settings: Readonly<Record<string, string>>): Promise<unknown> =>
      startServiceProcesses({
        mongoUrl,
        redisUrl,
        apis,
        workers: 1 - apis,
        settings: { ...addresses, ...settings },
      }).then(
        (processes) => processes.close(),
        (error: unknown) => error,
      );
    const [missing, wrong] = await Promise.all([start(1, {}), start(0, { SECRETS_KEY: NEXT })]);
    for (const [error, problem] of [
      [missing, 'SECRETS_KEY is not set'],
      [wrong, 'SECRETS_KEY is not the key whose id is'],
    ] as const) {
      expect(error).to.be.instanceOf(Error);
      expect(error)
        .to.have.property('message')
        .that.includes(`ended with status ${SETTINGS_STATUS}`)
        .and.includes(problem)
        .and.includes(RUNBOOK)
        .and.not.includes(NEXT);
    }
  });

  it('make an ops command refuse without the key before it writes anything', async () => {
    const before = await bytesOf(service.connection);
    const refused = await run(service.database, ['operator', 'create', 'half-made', '--json'], {}, service.now);
    expect(refused.status).to.equal(SETTINGS_STATUS);
    expect(refused.err).to.include('SECRETS_KEY is not set');
    const after = await bytesOf(service.connection);
    expect(before.includes('half-made') || after.includes('half-made')).to.equal(false);
  });

  it('are encrypted in an export, which a holder of the key can import', async () => {
    const result = await exported('encrypted', {});
    expect(result.status, result.err).to.equal(0);
    expect(result.out).to.include('secrets encrypted with SECRETS_KEY');
    const bytes = await bytesOfExport(join(folder(), 'encrypted'));
    for (const secret of secrets) expect(bytes.includes(secret)).to.equal(false);

    const database = await imported('encrypted');
    await using restored = await runService({ database, settings: { SECRETS_KEY: `${NEXT},${KEY}` } });
    expect(await secretsOf(restored.connection, NEXT)).to.deep.equal(secrets);
  });

  it('in clear are not exported when a key is set, and otherwise the export states it', async () => {
    const database = await freshDatabase();
    const connection = await openMongo(database.mongoUrl);
    await secretsOf(connection);
    const args = ['data', 'export', join(folder(), 'clear')];
    const refused = await run(database, args, { SECRETS_KEY: KEY });
    expect(refused.status).to.equal(1);
    expect(refused.err).to.include('SECRETS_KEY is set, but 3 secrets are stored unencrypted');
    expect((await run(database, args)).out).to.include('3 unencrypted secrets');
    await connection.dropDatabase();
    await connection.close();
  });

  it('can be replaced after the key was lost, as the runbook says', async () => {
    await exported('lost', {});
    const database = await imported('lost');
    const withNext = (...args: readonly string[]) => run(database, args, { SECRETS_KEY: NEXT }, service.now);
    const refused = await withNext('keys', 'list');
    expect(refused.status).to.equal(SETTINGS_STATUS);
    expect(refused.err).to.include('SECRETS_KEY is not the key').and.include(RUNBOOK);

    const runbook = await readFile(new URL(`../../${RUNBOOK}`, import.meta.url), 'utf8');
    expect(runbook).to.include('npm run -s ops -- keys discard-unreadable --yes');
    expect((await withNext('keys', 'discard-unreadable')).err).to.include('--yes');
    const done = await withNext('keys', 'discard-unreadable', '--yes', '--json');
    expect(done.status, done.err).to.equal(0);
    expect(JSON.parse(done.out).discarded).to.include.members([
      'shared_secrets authorization-server-cookies',
      'shared_secrets form-tokens',
    ]);
    expect((await withNext('keys', 'discard-unreadable', '--yes')).err).to.include(
      'every stored secret can be decrypted',
    );
    await using restarted = await runService({ database, settings: { SECRETS_KEY: NEXT } });
    for (const fresh of await secretsOf(restarted.connection, NEXT))
      expect(secrets.some((former) => former.equals(fresh))).to.equal(false);
  });
});
