import { DAY_MS } from '../../config/units.ts';

/** Devices of an operator with a valid key. */
export const MAX_LIVE_DEVICES = 20;

/** The longest lifetime of an automation token, in milliseconds. */
export const MAX_AUTOMATION_LIFETIME_MS = 365 * DAY_MS;

/** Stored devices of an operator, revoked ones included. Concurrent enrolments may exceed it: it bounds only storage and lists. */
export const MAX_KEPT_DEVICES = 500;

/** The longest lifetime of an access token, in seconds. A signing key stays published this long after its last use. */
export const MAX_ACCESS_TOKEN_LIFETIME_S = 24 * 60 * 60;

/** How long a process signs with its cached key before it looks for a newer one, in milliseconds. */
export const SIGNING_KEY_RELOAD_MS = 60 * 1_000;

/** How long a browser stays signed in, in milliseconds. */
export const SESSION_LIFETIME_MS = 30 * DAY_MS;

/** How long the audit log keeps an event, in milliseconds. */
export const AUDIT_RETENTION_MS = 180 * DAY_MS;

/** How long a used or expired one-time secret is kept, so that a page can explain why it no longer works, in milliseconds. */
export const SPENT_SECRET_RETENTION_MS = DAY_MS;

/** A denial or an account change takes effect in every process within this time, in milliseconds. */
export const LIST_FOLLOW_MS = 4_000;

/** How long the entry of a changed account is kept: far longer than any change takes, and than clocks differ. */
export const ACCOUNT_CHANGE_RETENTION_MS = 2 * 60 * 60 * 1_000;

/** Ways to sign in to one account. */
export const MAX_IDENTITIES = 20;

/** How long an account is held whose sign-in had one that was excluded and erased, from that erasure on, in milliseconds. */
export const RETURN_HOLD_MS = 90 * DAY_MS;

/** Members of a league. */
export const MAX_LEAGUE_MEMBERS = 1_000;

/** Leagues that an operator is in. Concurrent requests may exceed it: it bounds only storage and lists. */
export const MAX_LEAGUES = 20;

/** Leagues that an operator makes in 24 hours, those that it deleted included. */
export const MAX_LEAGUES_MADE = 10;

/** How long a league whose owner was erased is offered to its members, in milliseconds. */
export const LEAGUE_OFFER_MS = 14 * DAY_MS;

/** How many days ahead a season of a league can begin, and how many of its seasons are listed. */
export const MAX_SEASON_AHEAD_DAYS = 366;
export const MAX_SEASONS_LISTED = 100;

/** Reports of a league that wait for a moderator. */
export const MAX_LEAGUE_REPORTS = 100;
