import { Erased } from '../../../engine/contract/index.ts';
import { defineRoute } from '../../context/api-context.ts';
import { fromStorage } from '../../http/problem.ts';

/** The data that remain after an erasure, for the response. */
const REMAINS = [
  'Your sequence number, in boards that are kept for at most 100 days. It is never assigned again.',
  'Your sequence number with a hash, in the list of erasures, so that the erasure is repeated after a backup is restored.',
  'Records of what was paid, without a link to you. A subscription ends now, and the payment provider deletes your customer record.',
  'Refusals of snapshots by sequence number, for as long as the log is kept, at most 100 days.',
  'Your codenames as keyed hashes, for at most 90 days, so that no other operator can take them and impersonate you.',
];

export const eraseMe = defineRoute({
  method: 'delete',
  surface: 'base',
  path: '/me',
  operationId: 'eraseMe',
  summary: 'Erase your operator',
  description:
    'Erases names, addresses, ways to sign in, devices, snapshots and the entry on every board, ends every session and every ' +
    'grant, and returns a description of the remaining data. This cannot be undone.',
  tag: 'me',
  auth: 'operator',
  officialClientsOnly: true,
  successes: [{ status: 200, description: 'Your operator is erased.', schema: Erased }],
  problems: [],
  limit: 'operator',
  cache: null,
  documented: true,
  handle: async (_input, { ctx, caller }) => {
    await fromStorage(() => ctx.members.erase(caller.operator));
    return { kind: 'json', status: 200, body: { erased: true, remains: REMAINS } };
  },
});
