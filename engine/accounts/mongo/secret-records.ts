import { mongo } from 'mongoose';
import { DURABLE } from '../../mongo/index.ts';
import { type SecretCipher, SecretsKeyError } from '../encryption/secret-cipher.ts';
import type { Collections } from './collections.ts';
import type { EncryptedMember, SecretHolder } from './documents.ts';

/** Collections whose documents hold a secret each. */
type SecretCollection = keyof Collections['secretHolders'];

/** What a secret's encryption is bound to: everything that identifies its record. */
type SecretIdentity = Pick<SecretHolder, '_id' | 'kid' | 'x'>;

interface SecretRecord {
  readonly collection: SecretCollection;
  readonly holder: SecretHolder;
}

const COLLECTIONS: readonly SecretCollection[] = ['signing_keys', 'shared_secrets'];

export type SecretRecords = ReturnType<typeof createSecretRecords>;

/** Secrets that are stored: encrypted where there is a key, in clear where there is none. */
export function createSecretRecords({ secretHolders, sessions, oidc }: Collections, cipher: SecretCipher) {
  function encrypt(collection: SecretCollection, identity: SecretIdentity, secret: Uint8Array): EncryptedMember | null {
    const encrypted = cipher.encrypt(nameOf(collection, identity), secret);
    return encrypted === null ? null : { key_id: encrypted.keyId, bytes: new mongo.Binary(encrypted.bytes) };
  }

  const read = (collection: SecretCollection, holder: SecretHolder): Buffer => readSecret(cipher, collection, holder);
  const all = (): Promise<readonly SecretRecord[]> => allRecords(secretHolders);

  return {
    /** Whether there is a key. */
    encrypts: cipher.keyId !== null,
    encrypt,

    /**
     * The secret of a document. With a key, a secret in clear is refused: a process with the key did not write it.
     *
     * @throws SecretsKeyError
     */
    open(collection: SecretCollection, holder: SecretHolder): Buffer {
      if (cipher.keyId !== null && holder.encrypted === undefined) {
        const problem = `is set, but ${nameOf(collection, holder)} is stored in clear: start the api with the key, which encrypts it`;
        throw new SecretsKeyError(problem);
      }
      return read(collection, holder);
    },

    /**
     * Encrypts what is in clear, or encrypted by the second key, with the first. Several processes may do it at once:
     * each record is replaced only as it was read.
     *
     * @throws SecretsKeyError when one does not decrypt; nothing is changed then.
     */
    async encryptAll(): Promise<void> {
      const records = (await all()).map((record) => ({ ...record, secret: read(record.collection, record.holder) }));
      for (const { collection, holder, secret } of records) {
        const { _id, encrypted: former } = holder;
        const encrypted = former?.key_id === cipher.keyId ? null : encrypt(collection, holder, secret);
        if (encrypted === null) continue;
        // A key id of null is that of a record in clear, which has none.
        const unchanged = { _id, 'encrypted.key_id': former?.key_id ?? null };
        const change = { $set: { encrypted }, $unset: { private_key: true, value: true } } as const;
        await secretHolders[collection].updateOne(unchanged, change, DURABLE);
      }
    },

    /** How many are stored in clear, and how many encrypted. */
    async count(): Promise<{ readonly clear: number; readonly encrypted: number }> {
      const records = await all();
      const clear = records.filter(({ holder }) => holder.encrypted === undefined).length;
      return { clear, encrypted: records.length - clear };
    },

    /**
     * Deletes the secrets that do not decrypt, and all sessions, grants and tokens of people and apps. Returns
     * the names of the secrets; where all of them decrypt, nothing is deleted.
     */
    async discardUnreadable(): Promise<readonly string[]> {
      const lost = (await all()).filter(({ collection, holder }) => !decrypts(() => read(collection, holder)));
      if (lost.length === 0) return [];
      await sessions.deleteMany({}, DURABLE);
      await oidc.deleteMany({ model: { $ne: 'Client' } }, DURABLE);
      for (const { collection, holder } of lost) {
        await secretHolders[collection].deleteOne({ _id: holder._id }, DURABLE);
      }
      return lost.map(({ collection, holder }) => nameOf(collection, holder));
    },
  };
}

/** The secret, encrypted or in clear. */
function readSecret(cipher: SecretCipher, collection: SecretCollection, holder: SecretHolder): Buffer {
  const { encrypted, private_key, value } = holder;
  if (encrypted === undefined) return Buffer.from(private_key?.value() ?? value ?? '');
  return cipher.decrypt(nameOf(collection, holder), { keyId: encrypted.key_id, bytes: encrypted.bytes.value() });
}

async function allRecords(holders: Collections['secretHolders']): Promise<readonly SecretRecord[]> {
  const found = await Promise.all(
    COLLECTIONS.map(async (collection) => {
      const documents = await holders[collection].find().sort({ _id: 1 }).toArray();
      return documents.map((holder) => ({ collection, holder }));
    }),
  );
  return found.flat();
}

/** Names a record for people, and identifies it for the cipher. */
function nameOf(collection: SecretCollection, { _id, kid, x }: SecretIdentity): string {
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
