import { insertUnlessTaken, newDocumentId } from '../mongo/index.ts';
import type { AuditDocument, Models } from './mongo/models.ts';

/** One event of the audit log. `at` is ISO 8601 in UTC. */
export type AuditEvent = Omit<AuditDocument, '_id' | 'at'> & { readonly at: string };

export type AuditLog = ReturnType<typeof createAuditLog>;

/** The audit log of accounts, for their owners and for operators of the service. */
export function createAuditLog({ audit }: Pick<Models, 'audit'>, clock: () => number) {
  return {
    /** With an `id`, a repeated call records nothing. */
    async record({ kind, operator, client, detail }: Omit<AuditEvent, 'at'>, id?: string): Promise<void> {
      const now = clock();
      const event = { _id: id ?? newDocumentId(), at: new Date(now), kind, operator, client, detail: { ...detail } };
      await insertUnlessTaken(() => audit.insertOne(event));
    },

    /** An operator's events, newest first. */
    async list(operator: number, limit: number): Promise<readonly AuditEvent[]> {
      const found = audit.find({ operator }).sort({ at: -1, _id: -1 }).limit(limit);
      return (await found.lean()).map(({ _id, at, ...event }) => ({ at: at.toISOString(), ...event }));
    },

    async eraseOf(operator: number): Promise<void> {
      await audit.deleteMany({ operator });
    },
  };
}
