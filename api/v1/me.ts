import type * as z from 'zod';
import { MS_PER_SECOND } from '../../config/units.ts';
import type { Entitlement } from '../../engine/billing/index.ts';
import { Erased, Me, MeChange, type ProblemCode } from '../../engine/contract/index.ts';
import { accountUnknown } from '../auth/challenge.ts';
import { type ApiContext, defineRoute } from '../context/api-context.ts';
import { fromStorage, Problem } from '../http/problem.ts';
import { type Caller, OWN_ROUTE } from '../http/route.ts';

export const getMe = defineRoute({
  ...OWN_ROUTE,
  method: 'get',
  path: '/me',
  operationId: 'getMe',
  summary: 'Your operator',
  description: 'Names, plan and address of the operator to whom the access token belongs.',
  tag: 'me',
  successes: [{ status: 200, description: 'Your operator.', schema: Me }],
  handle: async (_input, { ctx, caller }) => ({ kind: 'json', status: 200, body: await ownRecord(ctx, caller) }),
});

export const changeMe = defineRoute({
  ...OWN_ROUTE,
  method: 'patch',
  path: '/me',
  operationId: 'changeMe',
  summary: 'Change your names, or hide your row',
  description:
    'One change a request. The last 3 codenames that you gave up are reserved for you for 90 days each. A codename can ' +
    'be changed 3 times in 30 days. A row can be hidden or shown again once in 24 hours. ' +
    'The change appears with the next board version.',
  tag: 'me',
  officialClientsOnly: true,
  body: { schema: MeChange, required: true },
  successes: [{ status: 200, description: 'Your operator after the change.', schema: Me }],
  problems: [
    'codename_invalid',
    'codename_taken',
    'codename_reserved',
    'codename_limit',
    'display_name_invalid',
    'hiding_limit',
    'parameters_conflict',
  ],
  handle: async ({ body }, { ctx, caller }) => {
    const { members } = ctx;
    const { codename, display_name, hidden } = body;
    const named = Object.entries(body).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    // Each can be refused: of two, one would be done.
    if (named.length > 1) {
      throw new Problem('parameters_conflict', { detail: `Change ${named.join(' and ')} in a request for each.` });
    }
    if (codename !== undefined) {
      const renaming = await fromStorage(() => members.rename(caller.operator, codename, null));
      if ('detail' in renaming) throw refused('codename', `codename_${renaming.kind}`, renaming);
    }
    if (display_name !== undefined) {
      const naming = await fromStorage(() => members.setDisplayName(caller.operator, display_name));
      if (naming.kind === 'invalid') throw refused('display_name', 'display_name_invalid', naming);
    }
    if (hidden !== undefined) {
      const hiding = await fromStorage(() => members.hide(caller.operator, hidden, null));
      if (hiding.kind === 'limit') throw refused('hidden', 'hiding_limit', hiding);
    }
    return { kind: 'json', status: 200, body: await ownRecord(ctx, caller) };
  },
});

/** The refusal of a change of a member; `waitMs`: milliseconds until it is possible. */
function refused(
  name: keyof z.output<typeof MeChange>,
  code: ProblemCode,
  { detail, waitMs }: { readonly detail: string; readonly waitMs?: number },
): Problem {
  const headers = waitMs === undefined ? {} : { 'Retry-After': String(Math.ceil(waitMs / MS_PER_SECOND)) };
  return new Problem(code, { detail, errors: [{ pointer: `/${name}`, code, detail }], headers });
}

async function ownRecord(
  { members, accounts, billing, config }: ApiContext,
  caller: Caller,
): Promise<z.input<typeof Me>> {
  const [record, account, addresses, entitlement] = await fromStorage(() =>
    Promise.all([
      members.byNumber(caller.operator),
      accounts.bySubject(caller.subject),
      members.addressesOf(caller.operator),
      billing.entitlement(caller.operator),
    ]),
  );
  if (record === null || account === null) throw accountUnknown(config);
  return {
    codename: record.codename,
    display_name: record.displayName,
    hidden: record.offBoards.includes('hidden'),
    plan: await fromStorage(() => billing.nameOf(account)),
    subscription: planStatus(entitlement, config.loginUrl),
    email: addresses[0] ?? null,
    created_at: account.created_at,
  };
}

/** The state of a plan in the API's form. The address of the portal is included unless the account never subscribed. */
function planStatus({ state, eligible, plan, renewsAt, endsAt }: Entitlement, loginUrl: string) {
  return {
    state,
    eligible,
    plan,
    renews_at: isoOf(renewsAt),
    ends_at: isoOf(endsAt),
    portal_url: state === 'none' ? null : `${loginUrl}/account/portal`,
  };
}

function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** The data that remain after an erasure, for the response. */
const REMAINS = [
  'Your sequence number, in boards that are kept for at most 100 days. It is never assigned again.',
  'Your sequence number with a hash, in the list of erasures, so that the erasure is repeated after a backup is restored.',
  'Records of what was paid, without a link to you. A subscription ends now, and the payment provider deletes your customer record.',
  'Refusals of snapshots by sequence number, for as long as the log is kept, at most 100 days.',
  'Your codenames as keyed hashes, for at most 90 days, so that no other operator can take them and impersonate you.',
  'Only if a moderator excluded your row: your ways to sign in and their addresses as keyed hashes, for 90 days, in which an account that you sign in to with them is not ranked.',
];

export const eraseMe = defineRoute({
  ...OWN_ROUTE,
  method: 'delete',
  path: '/me',
  operationId: 'eraseMe',
  summary: 'Erase your operator',
  description:
    'Erases names, addresses, ways to sign in, devices, snapshots and the entry on every board, ends every session and every ' +
    'grant, and returns a description of the remaining data. This cannot be undone. Apps cannot do it, the tool included: people ' +
    'delete their account at its page.',
  tag: 'me',
  officialClientsOnly: true,
  successes: [{ status: 200, description: 'Your operator is erased.', schema: Erased }],
  handle: async (_input, { ctx, caller }) => {
    if (!caller.erases) {
      const detail = `Only you can delete your account: at ${ctx.config.loginUrl}/account#erase.`;
      throw new Problem('client_not_allowed', { detail });
    }
    await fromStorage(() => ctx.members.erase(caller.operator));
    return { kind: 'json', status: 200, body: { erased: true, remains: REMAINS } };
  },
});
