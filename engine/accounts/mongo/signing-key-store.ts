import { createPrivateKey, type KeyObject } from 'node:crypto';
import { mongo } from 'mongoose';
import { DURABLE, insertUnlessTaken } from '../../mongo/index.ts';
import type { Collections, SigningKeyDocument } from './collections.ts';
import type { SecretRecords } from './secret-records.ts';

/** A signing key. The private part is a key object, which JSON and the inspector do not print. */
export interface SigningKey extends Pick<SigningKeyDocument, 'kid' | 'x'> {
  /** Numbers the keys from 1; the highest is in use. */
  readonly generation: number;
  readonly createdAt: Date;
  readonly privateKey: KeyObject;
}

export type SigningKeyStore = ReturnType<typeof createSigningKeyStore>;

/** The signing keys of access tokens. */
export function createSigningKeyStore({ signingKeys }: Collections, secrets: SecretRecords) {
  /** Newest first. */
  async function all(limit = 0): Promise<readonly SigningKey[]> {
    return (await signingKeys.find().sort({ _id: -1 }).limit(limit).toArray()).map((document) => {
      const { _id, kid, x, created_at } = document;
      const key = secrets.open('signing_keys', document);
      const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
      return { generation: _id, kid, x, createdAt: created_at, privateKey };
    });
  }

  return {
    all,

    newest: async (): Promise<SigningKey | null> => (await all(1))[0] ?? null,

    /** False when another process created this generation. */
    insert({ generation, kid, x, createdAt, privateKey }: SigningKey): Promise<boolean> {
      const document = { _id: generation, kid, x, created_at: createdAt };
      const der = privateKey.export({ format: 'der', type: 'pkcs8' });
      const encrypted = secrets.encrypt('signing_keys', document, der);
      const member = encrypted === null ? { private_key: new mongo.Binary(der) } : { encrypted };
      return insertUnlessTaken(() => signingKeys.insertOne({ ...document, ...member }, DURABLE));
    },

    async forget(generations: readonly number[]): Promise<void> {
      await signingKeys.deleteMany({ _id: { $in: [...generations] } }, DURABLE);
    },
  };
}
