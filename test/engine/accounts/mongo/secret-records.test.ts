import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { createSecretCipher } from '../../../../engine/accounts/encryption/secret-cipher.ts';
import { type Accounts, SecretsKeyError } from '../../../../engine/accounts/index.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';
import { openAccounts } from '../open-accounts.ts';

const NAMES = ['form-tokens', 'authorization-server-cookies'] as const;
const COLLECTIONS = ['signing_keys', 'shared_secrets'] as const;

const newKey = (): KeyObject => createSecretKey(randomBytes(32));

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

async function expectRefusal(work: Promise<unknown>, message: string): Promise<void> {
  const error = await failureOf(work);
  expect(error).to.be.instanceOf(SecretsKeyError);
  expect(error).to.have.property('message').that.includes(message).and.includes('runbooks/secrets-key-lost.md');
}

/** Every secret that the accounts keep, as bytes; makes those that are not there. */
async function secretsOf(accounts: Accounts): Promise<Buffer[]> {
  const shared = await Promise.all(NAMES.map((name) => accounts.sharedSecret(name)));
  const { keys } = await accounts.signingKeys.signingSet();
  return [
    ...shared.map((text) => Buffer.from(text)),
    ...keys.map(({ privateKey }) => privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)),
  ];
}

describe('stored secrets', () => {
  const under = useFreshFixture(openAccounts);

  /** The collections as they are stored, byte by byte. */
  async function stored(): Promise<Buffer> {
    const found = await Promise.all(
      COLLECTIONS.map((name) => under().connection.collection(name).find<Uint8Array>({}, { raw: true }).toArray()),
    );
    return Buffer.concat(found.flat());
  }

  /** A process that has started with these keys. */
  async function started(...keys: readonly KeyObject[]): Promise<Accounts> {
    const accounts = await under().another(keys);
    await accounts.storedSecrets.encrypt();
    return accounts;
  }

  it('are encrypted when a key is set, and keep their value', async () => {
    const secrets = await secretsOf(under().accounts);
    for (const secret of secrets) expect((await stored()).includes(secret)).to.equal(true);
    expect(await under().accounts.storedSecrets.count()).to.deep.equal({ clear: 3, encrypted: 0 });

    const accounts = await started(newKey());
    for (const secret of secrets) expect((await stored()).includes(secret)).to.equal(false);
    expect(await secretsOf(accounts)).to.deep.equal(secrets);
    expect(await accounts.storedSecrets.count()).to.deep.equal({ clear: 0, encrypted: 3 });
    expect(await accounts.jwks())
      .to.have.property('keys')
      .with.length(1);
  });

  it('are encrypted from the first on, each by a nonce used once', async () => {
    const key = newKey();
    const accounts = await started(key);
    await accounts.signingKeys.rotate();
    const secrets = await secretsOf(accounts);
    expect(secrets).to.have.length(4);
    const bytes = await stored();
    for (const secret of [...secrets, key.export()]) expect(bytes.includes(secret)).to.equal(false);
    const holders = await Promise.all(COLLECTIONS.map((name) => under().connection.collection(name).find().toArray()));
    const nonces = holders.flat().map(({ encrypted }) => Buffer.from(encrypted.bytes.value()).toString('hex', 0, 12));
    expect(new Set(nonces).size).to.equal(4);
  });

  it('are left as they are when they are encrypted already', async () => {
    const key = newKey();
    await secretsOf(await started(key));
    const before = await stored();
    await started(key);
    expect((await stored()).equals(before)).to.equal(true);
  });

  it('are encrypted once when many processes start at once, and are the same in each', async () => {
    const secrets = await secretsOf(under().accounts);
    const key = newKey();
    const processes = await Promise.all(Array.from({ length: 6 }, () => started(key)));
    for (const accounts of processes) expect(await secretsOf(accounts)).to.deep.equal(secrets);
    expect(await under().accounts.storedSecrets.count()).to.deep.equal({ clear: 0, encrypted: 3 });
  });

  it('change over to another key while processes with either order of both run', async () => {
    const [former, next] = [newKey(), newKey()];
    const secrets = await secretsOf(await started(former));
    const both = await started(former, next);
    const exchanged = await started(next, former);
    expect(await secretsOf(both)).to.deep.equal(secrets);
    expect(await secretsOf(exchanged)).to.deep.equal(secrets);
    expect(await secretsOf(await started(next))).to.deep.equal(secrets);
    await expectRefusal(started(former), 'SECRETS_KEY is not the key whose id is');
  });

  it('are refused without the key and with another one, and are not touched', async () => {
    await secretsOf(await started(newKey()));
    const before = await stored();
    await expectRefusal(started(), 'SECRETS_KEY is not set');
    await expectRefusal(started(newKey()), 'SECRETS_KEY is not the key whose id is');
    await expectRefusal(started(newKey(), newKey()), 'SECRETS_KEY is not the key whose id is');
    expect((await stored()).equals(before)).to.equal(true);
    for (const accounts of [under().accounts, await under().another([newKey()])]) {
      await expectRefusal(accounts.sharedSecret(NAMES[0]), 'shared_secrets form-tokens');
      await expectRefusal(accounts.signingKeys.signingSet(), 'signing_keys 1');
      await expectRefusal(accounts.signingKeys.rotate(), 'signing_keys 1');
    }
  });

  it('hold a new database to the first key, whichever of two processes starts first', async () => {
    const outcomes = await Promise.all([newKey(), newKey()].map((key) => failureOf(started(key))));
    expect(outcomes.filter((error) => error === null)).to.have.length(1);
    expect(outcomes.filter((error) => error instanceof SecretsKeyError)).to.have.length(1);
    await expectRefusal(started(), 'SECRETS_KEY is not set');
  });

  it('are refused when any byte was changed, or some are missing', async () => {
    const key = newKey();
    const cipher = createSecretCipher([key]);
    const encrypted = cipher.encrypt('signing_keys 1', Buffer.from('sesame'));
    if (encrypted === null) throw new Error('not encrypted');
    const { keyId, bytes } = encrypted;
    expect(cipher.decrypt('signing_keys 1', encrypted).toString()).to.equal('sesame');
    const damaged = [
      ...Array.from(bytes, (_, at) => bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))),
      ...Array.from(bytes, (_, length) => bytes.subarray(0, length)),
    ];
    for (const changed of damaged)
      expect(() => cipher.decrypt('signing_keys 1', { keyId, bytes: changed })).to.throw(
        SecretsKeyError,
        'does not decrypt',
      );

    await secretsOf(await started(key));
    await under()
      .connection.collection('signing_keys')
      .updateOne({}, { $set: { 'encrypted.bytes': bytes } });
    await expectRefusal(started(key), 'does not decrypt signing_keys 1');
  });

  it('are refused in the place of another one, and under another public key', async () => {
    const key = newKey();
    const accounts = await started(key);
    await secretsOf(accounts);
    const shared = under().connection.collection<{ _id: string }>('shared_secrets');
    const [from, taken] = NAMES;
    const other = await shared.findOne({ _id: from });
    await shared.replaceOne({ _id: taken }, { ...other, _id: taken });
    await expectRefusal(started(key), `does not decrypt shared_secrets ${taken}`);
    await shared.deleteOne({ _id: taken });

    const planted = { x: randomBytes(32).toString('base64url') };
    await under().connection.collection('signing_keys').updateOne({}, { $set: planted });
    await expectRefusal(started(key), 'does not decrypt signing_keys 1');
    await expectRefusal(accounts.jwks(), 'does not decrypt signing_keys 1');
  });

  it('in clear are refused at a check with a key, and for signing', async () => {
    const accounts = await under().another([newKey()]);
    await secretsOf(under().accounts);
    await expectRefusal(accounts.jwks(), 'signing_keys 1');
    await expectRefusal(accounts.storedSecrets.check(), 'is stored in clear');
  });

  it('that are shared and in clear are encrypted by a running process when it reads them', async () => {
    const secret = await under().accounts.sharedSecret(NAMES[0]);
    const accounts = await under().another([newKey()]);
    expect(await accounts.sharedSecret(NAMES[0])).to.equal(secret);
    expect(await accounts.storedSecrets.count()).to.deep.equal({ clear: 0, encrypted: 1 });
  });

  it('are not created in clear beside encrypted ones', async () => {
    await started(newKey());
    await expectRefusal(under().accounts.sharedSecret('erased-codenames'), 'SECRETS_KEY is not set');
    expect(await under().accounts.storedSecrets.count()).to.deep.equal({ clear: 0, encrypted: 1 });
  });

  it('are read again after a read failed', async () => {
    await started(newKey());
    await expectRefusal(under().accounts.sharedSecret('erased-codenames'), 'SECRETS_KEY is not set');
    for (const name of COLLECTIONS) await under().connection.collection(name).deleteMany({});
    expect(await under().accounts.sharedSecret('erased-codenames')).to.match(/^[\w-]{43}$/);
  });

  it('are replaced after the key was lost, and everyone is signed out', async () => {
    const [lost, key] = [newKey(), newKey()];
    const former = await started(lost);
    const secrets = await secretsOf(former);
    const times = { authenticated_at: new Date(under().now), expires_at: new Date(under().now + 600_000) };
    await under()
      .connection.collection('sessions')
      .insertOne({ operator: 1, provider: 'github', ...times });
    await former.oidc.put({ model: 'RefreshToken', id: 'one', payload: {}, lifetimeSeconds: 600 });
    await former.oidc.put({ model: 'Client', id: 'app', payload: {}, lifetimeSeconds: 600 });
    expect(await former.storedSecrets.discardUnreadable()).to.deep.equal([]);
    expect(await former.sessions.count(1)).to.equal(1);

    const accounts = await under().another([key]);
    const discarded = await accounts.storedSecrets.discardUnreadable();
    expect(discarded.map((name) => name.split(' ').slice(0, 2).join(' '))).to.deep.equal([
      'signing_keys 1',
      'shared_secrets authorization-server-cookies',
      'shared_secrets form-tokens',
    ]);
    const fresh = await secretsOf(await started(key));
    for (const each of fresh) expect(secrets.some((one) => one.equals(each))).to.equal(false);
    expect(await accounts.sessions.count(1)).to.equal(0);
    expect(await accounts.oidc.find('RefreshToken', 'one')).to.equal(null);
    expect(await accounts.oidc.find('Client', 'app')).not.to.equal(null);
    const [event] = await under().connection.collection('audit_log').find().toArray();
    expect(event).to.deep.include({ kind: 'secrets_discarded', operator: null });
  });

  it('and their keys show in nothing that is printed', async () => {
    const key = newKey();
    const accounts = await started(key);
    const secrets = [...(await secretsOf(accounts)), key.export()];
    const errors = [await failureOf(started()), await failureOf(started(newKey()))];
    const shown =
      inspect([accounts, errors], { depth: Infinity, showHidden: true }) + JSON.stringify([accounts, errors]);
    for (const encoding of ['hex', 'base64', 'base64url', 'latin1'] as const)
      for (const secret of secrets) expect(shown).not.to.include(secret.toString(encoding));
  });
});
