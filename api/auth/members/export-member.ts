import type { Account, Accounts } from '../../../engine/accounts/index.ts';
import type { Billing } from '../../../engine/billing/index.ts';
import type { ExportedOperator, ExportedSnapshot, Ranking } from '../../../engine/ranking/index.ts';

/** The newest payments in an export: more than a monthly plan makes in a lifetime, refunds included. */
const MAX_PAYMENTS = 5_000;

/** The newest events in an export. They are kept for 180 days. */
const MAX_EVENTS = 5_000;

/** Characters that are sent at once. */
const CHUNK_CHARS = 32 * 1_024;

export interface ExportOptions {
  readonly accounts: Pick<Accounts, 'byOperator' | 'identities' | 'sessions' | 'devices' | 'audit'>;
  readonly billing: Pick<Billing, 'payments' | 'subscriptionsOf'>;
  readonly operators: Pick<Ranking['operators'], 'export' | 'exportSnapshots'>;
  readonly clock: () => number;
}

/** One JSON document of everything that is kept about an operator. */
export interface MemberExport {
  readonly codename: string;
  /** The document's text, piece by piece: however many snapshots there are, a few are held at a time. */
  readonly chunks: AsyncIterable<string>;
}

/** Finds what is kept about an operator; null when the operator is gone. */
export type ExportMember = (operator: number) => Promise<MemberExport | null>;

/**
 * Gathers everything that the modules keep about an operator, under the names that the API uses for it. Secrets are not
 * in it: of those the service has hashes alone, which tell their owner nothing.
 */
export function createMemberExport(options: ExportOptions): ExportMember {
  const { accounts, operators, clock } = options;
  return async (number) => {
    const [operator, account] = await Promise.all([operators.export(number), accounts.byOperator(number)]);
    if (operator === null || account === null) return null;
    const head = {
      about: 'Everything that Upsilon keeps about you. Times are ISO 8601 in UTC.',
      exported_at: new Date(clock()).toISOString(),
      operator: operatorPart(operator),
      account: accountPart(account),
      ...(await accountRecords(options, account)),
      earlier_usage: earlierUsage(operator),
    };
    return { codename: operator.codename, chunks: inChunks(documentText(head, operators.exportSnapshots(number))) };
  };
}

function operatorPart({ codename, displayName, listed, totals, formerCodenames }: ExportedOperator) {
  return {
    codename,
    display_name: displayName,
    listed,
    former_codenames: formerCodenames.map(({ codename: name, until }) => ({ codename: name, kept_until: iso(until) })),
    totals,
  };
}

function accountPart({ subject, plan, suspended, created_at }: Account) {
  return { subject, plan, suspended, created_at };
}

/** What is kept beside the record: each list is bounded by a limit of its own module, or by one here. */
async function accountRecords({ accounts, billing }: ExportOptions, { operator, subject }: Account) {
  const [identities, sessions, devices, subscriptions, payments, events] = await Promise.all([
    accounts.identities.list(operator),
    accounts.sessions.list(operator),
    accounts.devices.list(operator),
    billing.subscriptionsOf(operator),
    billing.payments.ofSubject(subject, MAX_PAYMENTS),
    accounts.audit.list(operator, MAX_EVENTS),
  ]);
  return {
    identities: identities.map(({ provider, label, email, created_at, used_at }) => ({
      provider,
      label,
      email,
      created_at,
      used_at,
    })),
    sessions: sessions.map(({ provider, authenticatedAt, expiresAt }) => ({
      provider,
      authenticated_at: iso(authenticatedAt),
      expires_at: iso(expiresAt),
    })),
    devices,
    subscriptions: subscriptions.map(({ id, status, plan, periodStart, periodEnd, endsAt }) => ({
      id,
      status,
      plan,
      period_start: iso(periodStart),
      period_end: iso(periodEnd),
      ends_at: endsAt === null ? null : iso(endsAt),
    })),
    payments: payments.map(({ subject: _own, occurredAt, ...rest }) => ({ ...rest, occurred_at: iso(occurredAt) })),
    events: events.map(({ at, kind, client, detail }) => ({ at, kind, client, detail })),
  };
}

/** What the snapshots came to that are too old to be kept one by one. */
function earlierUsage({ rolledUp }: ExportedOperator) {
  if (rolledUp === null) return null;
  const facts = rolledUp.facts.map(({ platform, epoch, hour, counts }) => ({
    platform,
    epoch,
    as_of: iso(hour * HOUR_MS),
    ...counts,
  }));
  return { received_before: iso(rolledUp.until), totals: facts };
}

const HOUR_MS = 3_600_000;

function snapshotPart({ jti, receivedAt, payload, signature, voided, verdict }: ExportedSnapshot) {
  const { codename, input, output, cache_read, cache_write, platform = null } = payload;
  return {
    jti,
    received_at: iso(receivedAt),
    codename,
    platform,
    input,
    output,
    cache_read,
    cache_write,
    signature,
    voided,
    verdict: verdictPart(verdict),
  };
}

function verdictPart(verdict: ExportedSnapshot['verdict']) {
  if (verdict === null) return null;
  if (verdict.accepted) return { accepted: true, changed: verdict.changed };
  return { accepted: false, code: verdict.reason, detail: verdict.detail };
}

/** The document with its snapshots at the end, one a line, so that they need not be known before it begins. */
async function* documentText(head: object, snapshots: AsyncIterable<ExportedSnapshot>): AsyncGenerator<string> {
  yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "snapshots": [`;
  let separator = '\n';
  for await (const snapshot of snapshots) {
    yield `${separator}    ${JSON.stringify(snapshotPart(snapshot))}`;
    separator = ',\n';
  }
  yield '\n  ]\n}\n';
}

async function* inChunks(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = '';
  for await (const piece of pieces) {
    chunk += piece;
    if (chunk.length < CHUNK_CHARS) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
