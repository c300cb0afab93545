import { DURABLE, insertUnlessTaken } from '../mongo/index.ts';
import type { Collections } from './mongo/collections.ts';
import type { AuditEvent } from './types.ts';

export type AuditLog = ReturnType<typeof createAuditLog>;

/** The audit log of accounts, for their owners and for operators of the service. */
export function createAuditLog({ audit }: Pick<Collections, 'audit'>, clock: () => number) {
  return {
    /** With an `id`, a repeated call records nothing. */
    async record({ kind, operator, client, detail }: Omit<AuditEvent, 'at'>, id?: string): Promise<void> {
      const event = { at: new Date(clock()), kind, operator, client, detail: { ...detail } };
      await insertUnlessTaken(() => audit.insertOne({ ...(id === undefined ? {} : { _id: id }), ...event }, DURABLE));
    },

    /** An operator's events, newest first. */
    async list(operator: number, limit: number): Promise<readonly AuditEvent[]> {
      const found = audit
        .find({ operator }, { projection: { _id: 0 } })
        .sort({ at: -1, _id: -1 })
        .limit(limit);
      return (await found.toArray()).map(({ at, ...event }) => ({ at: at.toISOString(), ...event }));
    },

    async eraseOf(operator: number): Promise<void> {
      await audit.deleteMany({ operator }, DURABLE);
    },
  };
}
