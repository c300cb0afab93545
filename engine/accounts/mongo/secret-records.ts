import { mongo } from 'mongoose';
import type { Model } from '../../mongo/index.ts';
import { type SecretCipher, SecretsKeyError } from '../encryption/secret-cipher.ts';
import type { Models, SecretHolder } from './models.ts';

type SecretCollection = KeyCollection | 'shared_secrets';

/** The collections of signing keys. */
export type KeyCollection = 'signing_keys' | 'archive_keys';

/** What a secret's encryption is bound to. */
type SecretIdentity = Pick<SecretHolder, '_id' | 'kid' | 'x'>;

interface SecretRecord {
  readonly collection: SecretCollection;
  readonly holder: SecretHolder;
}

const COLLECTIONS: readonly SecretCollection[] = ['signing_keys', 'archive_keys', 'shared_secrets'];

type Holders = Readonly<Record<SecretCollection, Pick<Model<SecretHolder>, 'find' | 'updateOne' | 'deleteOne'>>>;

export type SecretRecords = ReturnType<typeof createSecretRecords>;

/** Stored secrets: encrypted when a key is set, else in clear. */
export function createSecretRecords(
  { signingKeys, archiveKeys, secrets, sessions, oidc }: Models,
  cipher: SecretCipher,
) {
  const holders: Holders = { signing_keys: signingKeys, archive_keys: archiveKeys, shared_secrets: secrets };
  const read = (collection: SecretCollection, holder: SecretHolder): Buffer => readSecret(cipher, collection, holder);

  /** A secret in clear is refused when a key is set: no process with the key wrote it. */
  function open(collection: SecretCollection, holder: SecretHolder): Buffer {
    if (cipher.keyId !== null && holder.encrypted === undefined) {
      const problem = `is set, but ${recordIdOf(collection, holder)} is stored in clear: start the api with the key, which encrypts it`;
      throw new SecretsKeyError(problem);
    }
    return read(collection, holder);
  }

  return {
    /** Whether a key is set. */
    encrypts: cipher.keyId !== null,
    open,

    /** The member in which a document stores its secret: encrypted when a key is set, else in clear. */
    seal: (collection: SecretCollection, identity: SecretIdentity, secret: Buffer) =>
      sealSecret(cipher, collection, identity, secret),

    /** Reads a secret, and encrypts it if it is in clear and a key is set. */
    async openEncrypting(collection: SecretCollection, holder: SecretHolder): Promise<Buffer> {
      const secret = read(collection, holder);
      if (holder.encrypted === undefined) await encryptRecord(holders, cipher, { collection, holder, secret });
      return secret;
    },

    /** @throws SecretsKeyError when a stored secret does not decrypt, or is in clear although a key is set. */
    async check(): Promise<void> {
      for (const { collection, holder } of await allRecords(holders)) open(collection, holder);
    },

    /** Encrypts all with the first key; safe in several processes at once. @throws SecretsKeyError before any change. */
    async encryptAll(): Promise<void> {
      const stored = await allRecords(holders);
      const records = stored.map((record) => ({ ...record, secret: read(record.collection, record.holder) }));
      for (const record of records) await encryptRecord(holders, cipher, record);
    },

    async count(): Promise<{ readonly clear: number; readonly encrypted: number }> {
      const isEncrypted = (await allRecords(holders)).map(({ holder }) => holder.encrypted !== undefined);
      const encrypted = isEncrypted.filter(Boolean).length;
      return { clear: isEncrypted.length - encrypted, encrypted };
    },

    /** Deletes secrets that do not decrypt (their ids are returned) and, if any, all sessions, grants and tokens. */
    async discardUnreadable(): Promise<readonly string[]> {
      const unreadable = (await allRecords(holders)).filter(
        ({ collection, holder }) => !decrypts(() => read(collection, holder)),
      );
      if (unreadable.length === 0) return [];
      await sessions.deleteMany({});
      await oidc.deleteMany({ model: { $ne: 'Client' } });
      for (const { collection, holder } of unreadable) {
        await holders[collection].deleteOne({ _id: holder._id });
      }
      return unreadable.map(({ collection, holder }) => recordIdOf(collection, holder));
    },
  };
}

function sealSecret(cipher: SecretCipher, collection: SecretCollection, identity: SecretIdentity, secret: Buffer) {
  const encrypted = encryptSecret(cipher, recordIdOf(collection, identity), secret);
  if (encrypted !== null) return { encrypted };
  return collection === 'shared_secrets' ? { value: secret.toString() } : { private_key: new mongo.Binary(secret) };
}

function encryptSecret(
  cipher: SecretCipher,
  recordId: string,
  secret: Uint8Array,
): NonNullable<SecretHolder['encrypted']> | null {
  const encrypted = cipher.encrypt(recordId, secret);
  return encrypted === null ? null : { key_id: encrypted.keyId, bytes: new mongo.Binary(encrypted.bytes) };
}

async function encryptRecord(
  holders: Holders,
  cipher: SecretCipher,
  { collection, holder, secret }: SecretRecord & { readonly secret: Buffer },
): Promise<void> {
  const { _id, encrypted: former } = holder;
  if (former?.key_id === cipher.keyId) return;
  const encrypted = encryptSecret(cipher, recordIdOf(collection, holder), secret);
  if (encrypted === null) return;
  // MongoDB matches an absent key id, of a record in clear, with null.
  const unchanged = { _id, 'encrypted.key_id': former?.key_id ?? null };
  const inClear = collection === 'shared_secrets' ? 'value' : 'private_key';
  const change = { $set: { encrypted }, $unset: { [inClear]: true } };
  await holders[collection].updateOne(unchanged, change);
}

function readSecret(cipher: SecretCipher, collection: SecretCollection, holder: SecretHolder): Buffer {
  const { encrypted, private_key, value } = holder;
  if (encrypted === undefined) return Buffer.from(private_key?.value() ?? value ?? '');
  return cipher.decrypt(recordIdOf(collection, holder), { keyId: encrypted.key_id, bytes: encrypted.bytes.value() });
}

async function allRecords(holders: Holders): Promise<readonly SecretRecord[]> {
  const found = await Promise.all(
    COLLECTIONS.map(async (collection) => {
      const documents = await holders[collection].find().sort({ _id: 1 }).lean();
      return documents.map((holder) => ({ collection, holder }));
    }),
  );
  return found.flat();
}

/** Identifies a record in messages, and binds its encryption to it. */
function recordIdOf(collection: SecretCollection, { _id, kid, x }: SecretIdentity): string {
  return [collection, _id, ...(kid === undefined ? [] : [kid, x])].join(' ');
}

function decrypts(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof SecretsKeyError) return false;
    throw error;
  }
}
