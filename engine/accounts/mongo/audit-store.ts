import { mongo } from 'mongoose';
import { DURABLE } from '../../mongo/index.ts';
import type { AuditEvent } from '../types.ts';
import type { Collections } from './collections.ts';

export type AuditStore = ReturnType<typeof createAuditStore>;

/** The audit log of accounts, for their owners and for operators of the service. */
export function createAuditStore({ audit }: Collections) {
  return {
    async append({ at, kind, operator, client, detail }: AuditEvent): Promise<void> {
      const _id = new mongo.ObjectId();
      await audit.insertOne({ _id, at: new Date(at), kind, operator, client, detail: { ...detail } }, DURABLE);
    },

    /** Newest first. */
    async list(operator: number, limit: number): Promise<readonly AuditEvent[]> {
      const found = await audit.find({ operator }).sort({ at: -1, _id: -1 }).limit(limit).toArray();
      return found.map(({ at, kind, operator: owner, client, detail }) => ({
        at: at.toISOString(),
        kind,
        operator: owner,
        client,
        detail,
      }));
    },

    async eraseOf(operator: number): Promise<void> {
      await audit.deleteMany({ operator }, DURABLE);
    },
  };
}
