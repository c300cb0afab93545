import { Erased } from '../../../engine/contract/index.ts';
import { fromStorage } from '../../http/problem.ts';
import { defineRoute } from '../../services.ts';

/** What is left of an operator, in words for its owner. */
const REMAINS = [
  'Your sequence number, in boards that are kept for at most 100 days. It is never given to anybody else.',
  'Your sequence number with a hash, in the list of erasures, so that a restored backup forgets you again.',
  'Records of what was paid, without a link to you. A subscription ends now, and the payment provider forgets you as a customer.',
  'Refusals of snapshots by sequence number, for as long as the log is kept, at most 100 days.',
  'Your codenames as keyed hashes, for at most 90 days, so that no other operator can take them and pass for you.',
];

export const eraseMe = defineRoute({
  method: 'delete',
  surface: 'base',
  path: '/me',
  operationId: 'eraseMe',
  summary: 'Erase your operator',
  description:
    'Erases names, addresses, ways to sign in, devices, snapshots and the place on every board, ends every session and every ' +
    'grant, and says what remains. It cannot be undone.',
  tag: 'me',
  auth: 'operator',
  officialClientsOnly: true,
  successes: [{ status: 200, description: 'Your operator is erased.', schema: Erased }],
  problems: [],
  limit: 'operator',
  cache: null,
  documented: true,
  handle: async (_input, { services, caller }) => {
    await fromStorage(() => services.members.erase(caller.operator));
    return { kind: 'json', status: 200, body: { erased: true, remains: REMAINS } };
  },
});
