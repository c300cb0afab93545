import { createPrivateKey, type KeyObject } from 'node:crypto';
import { mongo } from 'mongoose';
import { DURABLE, insertUnlessTaken } from '../../mongo/index.ts';
import type { Collections } from './collections.ts';
import type { SigningKeyDocument } from './documents.ts';

/** A signing key without its private part. */
export interface PublicSigningKey {
  /** Counts the keys from 1; the highest is in use. */
  readonly generation: number;
  readonly kid: string;
  readonly x: string;
  readonly createdAt: Date;
}

/** The private part is a key object, which neither JSON nor the inspector shows. */
export interface SigningKey extends PublicSigningKey {
  readonly privateKey: KeyObject;
}

export type SigningKeyStore = ReturnType<typeof createSigningKeyStore>;

/** The keys that access tokens are signed with. */
export function createSigningKeyStore({ signingKeys }: Collections) {
  return {
    async newest(): Promise<SigningKey | null> {
      const [document] = await signingKeys.find().sort({ _id: -1 }).limit(1).toArray();
      return document === undefined ? null : toSigningKey(document);
    },

    /** All of them with their private parts, newest first. */
    async all(): Promise<readonly SigningKey[]> {
      return (await signingKeys.find().sort({ _id: -1 }).toArray()).map(toSigningKey);
    },

    /** All of them without their private parts, newest first. */
    async list(): Promise<readonly PublicSigningKey[]> {
      const found = await signingKeys
        .find({}, { projection: { private_key: 0 } })
        .sort({ _id: -1 })
        .toArray();
      return found.map(({ _id, kid, x, created_at }) => ({ generation: _id, kid, x, createdAt: created_at }));
    },

    /** False when another process made this generation. */
    insert({ generation, kid, x, createdAt, privateKey }: SigningKey): Promise<boolean> {
      const der = new mongo.Binary(privateKey.export({ format: 'der', type: 'pkcs8' }));
      const document = { _id: generation, kid, x, private_key: der, created_at: createdAt };
      return insertUnlessTaken(() => signingKeys.insertOne(document, DURABLE));
    },

    async forget(generations: readonly number[]): Promise<void> {
      await signingKeys.deleteMany({ _id: { $in: [...generations] } }, DURABLE);
    },
  };
}

function toSigningKey({ _id, kid, x, private_key, created_at }: SigningKeyDocument): SigningKey {
  const privateKey = createPrivateKey({ key: Buffer.from(private_key.value()), format: 'der', type: 'pkcs8' });
  return { generation: _id, kid, x, createdAt: created_at, privateKey };
}
