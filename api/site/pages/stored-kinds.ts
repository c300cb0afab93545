import type { Config } from '../../../config/config.ts';
import { DAY_MS, HOUR_MS } from '../../../config/units.ts';
import {
  AUDIT_RETENTION_MS,
  MAX_AUTOMATION_LIFETIME_MS,
  RETURN_HOLD_MS,
  SESSION_LIFETIME_MS,
  SPENT_SECRET_RETENTION_MS,
} from '../../../engine/accounts/index.ts';
import { ANSWER_RETENTION_MS, EVENT_RETENTION_MS, SETTLED_RETENTION_MS } from '../../../engine/billing/index.ts';
import { CODENAME_REST_MS, DAILY_DAYS, DAILY_KEPT_HOURS, HOURLY_KEPT_HOURS } from '../../../engine/ranking/index.ts';

/** What is stored of people: what it is, what it holds, for how long it is kept, and in which collections. */
export type StoredKind = Readonly<Record<'what' | 'holds' | 'kept' | 'collections', string>>;

const WITH_ACCOUNT = 'until you delete your account';

const days = (ms: number): string => `${ms / DAY_MS} ${ms === DAY_MS ? 'day' : 'days'}`;

/** Every collection of the database is in a line of this table, or in `WITHOUT_PEOPLE`. */
const KINDS = `
Your operator | A number, your codename, your display name, your totals by tool and hour, and your settings. | ${WITH_ACCOUNT} | operators accounts held_rows series_sketches dirty_sets catch_up_log
Your submissions | Each signed text with its four counts and times, and whether it was accepted. | ${DAILY_DAYS} days, then as one sum ${WITH_ACCOUNT} | snapshots verdicts rollups
Former boards | Ranks and Yields by number, from which movement and charts come. | each hour of the last ${HOURLY_KEPT_HOURS}, and one a day for ${DAILY_KEPT_HOURS / 24} days | board_manifests board_base_runs board_pages board_segments board_top_entries rerank_runs rerank_parts
Ways to sign in | Your user name or number at the service that you sign in with, and the addresses that it verified. | until you remove them | identities addresses
Browsers that are signed in | A hash of the secret in the cookie, and when you signed in. | ${days(SESSION_LIFETIME_MS)} | sessions
Links and codes | A hash of each, with the address that it was sent to. | minutes, and ${days(SPENT_SECRET_RETENTION_MS)} more to explain why one no longer works | one_time_secrets sign_ups
Apps that you allowed | Which app, what you allowed, and hashes of its tokens. | until you end it, at most 365 days | oidc_records denials account_changes
Devices and automation tokens | Public keys, with the names that you gave them and when they were added, used and revoked. | ${WITH_ACCOUNT}; a token is valid for at most ${days(MAX_AUTOMATION_LIFETIME_MS)} | devices
The log of your account | Sign-ins and changes, with the address of your network. | ${days(AUDIT_RETENTION_MS)} | audit_log
Codenames that you gave up | So that no other operator takes them; as a hash once your account is deleted. | ${days(CODENAME_REST_MS)} | codename_holds
Findings and reports | What rules or readers found about the counts, answers, appeals, decisions, and who reported. | ${WITH_ACCOUNT} | integrity_cases integrity_reports
Leagues and weekly letters | Which leagues you are in, with the final boards of their seasons; those that you reported, until a moderator decides; those whose owner removed you, until their code is replaced; the address that letters go to, when the next is due, and hashes of its links. | until you leave, or switch them off | leagues league_seasons letters
Payments | Your plan and its state by the payment provider; what was paid, for accounting, without you once you are gone. | ${WITH_ACCOUNT}; events of the provider for ${days(EVENT_RETENTION_MS)}; records of money as the law requires | billing_accounts billing_events payments
Purchases without an account | The payment on the chain and the answer that it bought. | ${SETTLED_RETENTION_MS / HOUR_MS} hours; the answer ${ANSWER_RETENTION_MS / HOUR_MS} hour | purchases sold_answers sold_answer_pieces
Deleted accounts | A number with a hash, so that a restored backup is erased again. | for good | erasures
Excluded accounts that were deleted | Keyed hashes of the ways to sign in. | ${days(RETURN_HOLD_MS)} | excluded_identities
`;

/** The table, with the archive where there is one. */
export function storedKinds({ archive }: Pick<Config, 'archive'>): readonly StoredKind[] {
  const archived = `The public archive | The first board of each day, without names; and whose each line is, which is never public. | lines for ${archive?.days} days, blank once you delete your account | archive_heads archive_lines`;
  return [...KINDS.trim().split('\n'), ...(archive === null ? [] : [archived])].map((line) => {
    const [what = '', holds = '', kept = '', collections = ''] = line.split(' | ');
    return { what, holds, kept, collections };
  });
}

/** Keys of the service, numbers that count, and positions of jobs. */
export const WITHOUT_PEOPLE = [
  'signing_keys',
  'archive_keys',
  'shared_secrets',
  'sequences',
  'leases',
  'progress',
  'imports',
  'schema',
] as const;
