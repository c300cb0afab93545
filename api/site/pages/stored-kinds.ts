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

/** What is stored of people: in which collections, what it is, and for how long. */
export interface StoredKind {
  readonly what: string;
  readonly holds: string;
  readonly kept: string;
  readonly collections: readonly string[];
}

const WITH_ACCOUNT = 'until you delete your account';

const days = (ms: number): string => `${ms / DAY_MS} ${ms === DAY_MS ? 'day' : 'days'}`;

/** Every collection of the database is in one of these, or in `WITHOUT_PEOPLE`. */
export function storedKinds({ archive }: Pick<Config, 'archive'>): readonly StoredKind[] {
  return [
    {
      what: 'Your operator',
      holds: 'A number, your codename, your display name, your totals by tool and hour, and your settings.',
      kept: WITH_ACCOUNT,
      collections: ['operators', 'accounts', 'held_rows', 'series_sketches', 'dirty_sets', 'catch_up_log'],
    },
    {
      what: 'Your submissions',
      holds: 'Each signed text with its four counts and times, and whether it was accepted.',
      kept: `${DAILY_DAYS} days, then as one sum ${WITH_ACCOUNT}`,
      collections: ['snapshots', 'verdicts', 'rollups'],
    },
    {
      what: 'Former boards',
      holds: 'Ranks and Yields by number, from which movement and charts come.',
      kept: `each hour of the last ${HOURLY_KEPT_HOURS}, and one a day for ${DAILY_KEPT_HOURS / 24} days`,
      collections: [
        'board_manifests',
        'board_base_runs',
        'board_pages',
        'board_segments',
        'board_top_entries',
        'rerank_runs',
        'rerank_parts',
      ],
    },
    ...(archive === null
      ? []
      : [
          {
            what: 'The public archive',
            holds: 'The first board of each day, without names; and whose each line is, which is never public.',
            kept: `lines for ${archive.days} days, blank once you delete your account`,
            collections: ['archive_heads', 'archive_lines'],
          },
        ]),
    {
      what: 'Ways to sign in',
      holds: 'Your user name or number at the service that you sign in with, and the addresses that it verified.',
      kept: 'until you remove them',
      collections: ['identities', 'addresses'],
    },
    {
      what: 'Browsers that are signed in',
      holds: 'A hash of the secret in the cookie, and when you signed in.',
      kept: days(SESSION_LIFETIME_MS),
      collections: ['sessions'],
    },
    {
      what: 'Links and codes',
      holds: 'A hash of each, with the address that it was sent to.',
      kept: `minutes, and ${days(SPENT_SECRET_RETENTION_MS)} more to explain why one no longer works`,
      collections: ['one_time_secrets', 'sign_ups'],
    },
    {
      what: 'Apps that you allowed',
      holds: 'Which app, what you allowed, and hashes of its tokens.',
      kept: 'until you end it, at most 365 days',
      collections: ['oidc_records', 'denials', 'account_changes'],
    },
    {
      what: 'Devices and automation tokens',
      holds: 'Public keys, with the names that you gave them and when they were added, used and revoked.',
      kept: `${WITH_ACCOUNT}; a token is valid for at most ${days(MAX_AUTOMATION_LIFETIME_MS)}`,
      collections: ['devices'],
    },
    {
      what: 'The log of your account',
      holds: 'Sign-ins and changes, with the address of your network.',
      kept: days(AUDIT_RETENTION_MS),
      collections: ['audit_log'],
    },
    {
      what: 'Codenames that you gave up',
      holds: 'So that nobody else takes them; as a hash once your account is deleted.',
      kept: days(CODENAME_REST_MS),
      collections: ['codename_holds'],
    },
    {
      what: 'Findings and reports',
      holds: 'What rules or readers found about the counts, answers, appeals, decisions, and who reported.',
      kept: WITH_ACCOUNT,
      collections: ['integrity_cases', 'integrity_reports'],
    },
    {
      what: 'Leagues and weekly letters',
      holds: 'Which leagues you are in; the address that letters go to, when the next is due, and hashes of its links.',
      kept: 'until you leave, or switch them off',
      collections: ['leagues', 'letters'],
    },
    {
      what: 'Payments',
      holds:
        'Your plan and its state by the payment provider; what was paid, for accounting, without you once you are gone.',
      kept: `${WITH_ACCOUNT}; events of the provider for ${days(EVENT_RETENTION_MS)}; records of money as the law requires`,
      collections: ['billing_accounts', 'billing_events', 'payments'],
    },
    {
      what: 'Purchases without an account',
      holds: 'The payment on the chain and the answer that it bought.',
      kept: `${SETTLED_RETENTION_MS / HOUR_MS} hours; the answer ${ANSWER_RETENTION_MS / HOUR_MS} hour`,
      collections: ['purchases', 'sold_answers', 'sold_answer_pieces'],
    },
    {
      what: 'Of deleted accounts',
      holds: 'A number with a hash, so that a restored backup is erased again.',
      kept: 'for good',
      collections: ['erasures'],
    },
    {
      what: 'Of excluded accounts that were deleted',
      holds: 'Keyed hashes of the ways to sign in.',
      kept: days(RETURN_HOLD_MS),
      collections: ['excluded_identities'],
    },
  ];
}

/** Keys of the service, numbers that count, and positions of jobs. */
export const WITHOUT_PEOPLE = [
  'signing_keys',
  'archive_keys',
  'shared_secrets',
  'sequences',
  'leases',
  'progress',
  'schema',
] as const;
