import { HOUR_MS } from '../../config/units.ts';
import { type Account, type Accounts } from '../../engine/accounts/index.ts';
import type { Billing } from '../../engine/billing/index.ts';
import { isShownToOperator } from '../../engine/integrity/cases/index.ts';
import { type ExportedOperator, type ExportedSnapshot, type Ranking, versionText } from '../../engine/ranking/index.ts';
import { seasonBody } from './leagues.ts';

/** The newest payments in an export: more than a monthly plan makes in a lifetime, with refunds. */
const MAX_PAYMENTS = 5_000;

/** The newest audit events in an export. They are kept for 180 days. */
const MAX_EVENTS = 5_000;

/** Characters per chunk. */
const CHUNK_CHARS = 32 * 1_024;

interface ExportSources {
  readonly accounts: Accounts;
  readonly billing: Pick<Billing, 'payments' | 'subscriptionsOf'>;
  readonly ranking: { readonly operators: Pick<Ranking['operators'], 'export' | 'exportSnapshots'> };
  readonly clock: () => number;
}

/** One JSON document of all stored about an operator, with the API's field names, without secrets; null for an unknown operator. */
export async function exportMember(sources: ExportSources, number: number) {
  const { accounts, clock } = sources;
  const { operators } = sources.ranking;
  const [operator, account] = await Promise.all([operators.export(number), accounts.byOperator(number)]);
  if (operator === null || account === null) return null;
  const { subject, plan, suspended, held_until, created_at } = account;
  const head = {
    about: 'Everything that Upsilon stores about you. Times are ISO 8601 in UTC.',
    exported_at: iso(clock()),
    operator: operatorPart(operator),
    account: { subject, plan, suspended, held_until, created_at },
    weekly_letters: await accounts.letters.of(number),
    ...(await accountRecords(sources, account)),
    plausibility: plausibilityPart(operator),
    earlier_usage: earlierUsage(operator),
  };
  // In chunks, so that memory use does not depend on the number of snapshots.
  return { codename: operator.codename, chunks: chunksOf(documentText(head, operators.exportSnapshots(number))) };
}

function operatorPart({ codename, listed, totals, formerCodenames, provenance, ...own }: ExportedOperator) {
  return {
    codename,
    display_name: own.displayName,
    listed,
    hidden: own.offBoards.includes('hidden'),
    open: own.open,
    former_codenames: formerCodenames.map(({ codename: name, until }) => ({ codename: name, kept_until: iso(until) })),
    totals,
    provenance: provenance.map(({ ledger, platform, provenance: { counting, version } }) => ({
      stream: ledger,
      platform,
      counting,
      tool_version: versionText(version),
    })),
  };
}

/** The lists of an account, each bounded by a limit of its module or of this one. */
async function accountRecords({ accounts, billing }: ExportSources, { operator, subject }: Account) {
  const [leagues, seasons, others] = await Promise.all([
    accounts.leagues.ofMember(operator),
    accounts.leagues.seasonsWith(operator),
    accounts.leagues.othersAbout(operator),
  ]);
  const [identities, sessions, devices, subscriptions, payments, events, cases, reports] = await Promise.all([
    accounts.identities.list(operator),
    accounts.sessions.list(operator),
    accounts.devices.list(operator),
    billing.subscriptionsOf(operator),
    billing.payments.ofSubject(subject, MAX_PAYMENTS),
    accounts.audit.list(operator, MAX_EVENTS),
    accounts.cases.ofOperator(operator),
    accounts.cases.reportsBy(operator, MAX_EVENTS),
  ]);
  return {
    identities: identities.map(({ key: _key, operator: _own, ...rest }) => rest),
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
    integrity_cases: cases
      .filter(isShownToOperator)
      .map(({ rule, severity, state, opened_at, closed_at, answer, appeal, decisions }) => ({
        rule,
        severity,
        state,
        opened_at,
        closed_at: closed_at ?? null,
        answer,
        appeal,
        decisions: decisions.map(({ at, action, reason }) => ({ at, action, reason })),
      })),
    integrity_reports: reports.map(({ operator: reported, reason, at }) => ({ operator_number: reported, reason, at })),
    leagues: leagues.map(({ slug, name, visibility, owner, members }) => {
      const joined_at = members.find((member) => member.operator === operator)?.joined_at;
      return { slug, name, visibility, owned: owner === operator, joined_at };
    }),
    // Of a league that the operator has left, its final boards have the row still, and its address is that of its members.
    league_seasons: seasons.map(({ rows, ...season }) => {
      const slug = leagues.find(({ _id }) => _id === season.league)?.slug ?? null;
      const own = rows.flatMap(({ operator: of, ...row }) => (of === operator ? row : []));
      return { league: slug, ...seasonBody(season), methodology: season.methodology, rows: own };
    }),
    // One that is not public any more has no name here.
    league_reports: others.reports,
    removed_from_leagues: others.removals,
    events: events.map(({ at, kind, client, detail }) => ({ at, kind, client, detail })),
  };
}

/** The rollup of snapshots that are no longer stored individually. */
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

/** What the rules of plausibility see; `npm run ops -- integrity explain FILE` evaluates them on it again. */
function plausibilityPart({ methodology, usage: { hour, samples, older, findings, waived } }: ExportedOperator) {
  return {
    methodology,
    as_of: iso(hour * HOUR_MS),
    findings,
    waived,
    older_days: older,
    samples: samples.map(({ ledger, platform, epoch, hour: of, counts, receipt = null }) => ({
      stream: ledger,
      platform,
      epoch,
      as_of: iso(of * HOUR_MS),
      receipt,
      ...counts,
    })),
  };
}

function snapshotPart({ jti, receivedAt, payload, signature, voided, verdict }: ExportedSnapshot) {
  const { codename, input, output, cache_read, cache_write, platform = null } = payload;
  const counts = { input, output, cache_read, cache_write };
  const stored = { jti, received_at: iso(receivedAt), codename, platform, ...counts };
  return { ...stored, signature, voided, verdict: verdictPart(verdict) };
}

function verdictPart(verdict: ExportedSnapshot['verdict']) {
  if (verdict === null) return null;
  if (verdict.accepted) return { accepted: true, changed: verdict.changed };
  return { accepted: false, code: verdict.reason, detail: verdict.detail };
}

/** The document with its snapshots last, one per line, so that they can be streamed. */
async function* documentText(head: object, snapshots: AsyncIterable<ExportedSnapshot>): AsyncGenerator<string> {
  yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "snapshots": [`;
  let separator = '\n';
  for await (const snapshot of snapshots) {
    yield `${separator}    ${JSON.stringify(snapshotPart(snapshot))}`;
    separator = ',\n';
  }
  yield '\n  ]\n}\n';
}

async function* chunksOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
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
