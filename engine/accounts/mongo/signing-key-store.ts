import { createPrivateKey, type KeyObject } from 'node:crypto';
import { mongo } from 'mongoose';
import { DURABLE, insertUnlessTaken } from '../../mongo/index.ts';
import type { Collections } from './collections.ts';
import type { SigningKeyDocument } from './documents.ts';
import type { SecretRecords } from './secret-records.ts';

/** A signing key without its private part. */
export interface PublicSigningKey {
  /** Numbers the keys from 1; the highest is in use. */
  readonly generation: number;
  readonly kid: string;
  readonly x: string;
  readonly createdAt: Date;
}

/** The private part is a key object, which JSON and the inspector do not print. */
export interface SigningKey extends PublicSigningKey {
  readonly privateKey: KeyObject;
}

export type SigningKeyStore = ReturnType<typeof createSigningKeyStore>;

/** The signing keys of access tokens. */
export function createSigningKeyStore({ signingKeys }: Collections, secrets: SecretRecords) {
  function toSigningKey(document: SigningKeyDocument): SigningKey {
    const { _id, kid, x, created_at } = document;
    const privateKey = createPrivateKey({ key: secrets.open('signing_keys', document), format: 'der', type: 'pkcs8' });
    return { generation: _id, kid, x, createdAt: created_at, privateKey };
  }

  return {
    async newest(): Promise<SigningKey | null> {
      const [document] = await signingKeys.find().sort({ _id: -1 }).limit(1).toArray();
      return document === undefined ? null : toSigningKey(document);
    },

    /** Newest first. */
    async all(): Promise<readonly SigningKey[]> {
      return (await signingKeys.find().sort({ _id: -1 }).toArray()).map(toSigningKey);
    },

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
