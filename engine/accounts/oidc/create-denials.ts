import { MAX_CLOCK_SKEW_MS } from '../../contract/signing/index.ts';
import { followList } from '../follow-list.ts';
import { MAX_ACCESS_TOKEN_LIFETIME_S } from '../limits.ts';
import { type DenialDocument, type Models, nextWriteTime } from '../mongo/models.ts';
import { hashOf } from '../secrets.ts';

/** Longest time that a denied token stays valid, in milliseconds: a denial is kept this long. */
const TOKEN_LIFE_MS = MAX_ACCESS_TOKEN_LIFETIME_S * 1_000 + MAX_CLOCK_SKEW_MS;

/** The claims of a token that the deny-list checks. */
export interface DeniableToken {
  readonly subject: string;
  /** The public id of its grant (`publicGrantId`); null when the token has none. */
  readonly grant: string | null;
  /** Milliseconds since the epoch. */
  readonly issuedAt: number;
}

export type Denials = ReturnType<typeof createDenials>;

/** The public id of a grant, in access tokens and record keys: a hash, so it is no credential. */
export function publicGrantId(grantId: string): string {
  return hashOf(grantId);
}

/** Matches records of the authorization server that have not expired. */
export function unexpired(now: number) {
  return { $or: [{ expires_at: { $gt: new Date(now) } }, { expires_at: { $exists: false } }] };
}

/** A denial outlives an erasure for a while, so it stores only a hash of the subject. */
function subjectEntryId(subject: string): string {
  return `subject:${hashOf(subject)}`;
}

/**
 * The deny-list in this process's memory, as `followList` follows it: a denial takes effect in every process within
 * `LIST_FOLLOW_MS`. A token may be dated by a clock that is ahead of the denying one by MAX_CLOCK_SKEW_MS. Tokens dated within
 * that time after the denial pass only if their grant still exists, because a denial also deletes the grants that it ends.
 */
export function createDenials({ denials, oidc }: Pick<Models, 'denials' | 'oidc'>, clock: () => number) {
  const list = followList<DenialDocument>((at) => denials.find({ at: { $gte: at } }).lean(), clock);

  /** A further denial updates the entry and its time, so followers read it again. */
  async function put(_id: string): Promise<void> {
    const now = new Date(clock());
    const at = await nextWriteTime(denials, now);
    const denial = { at, issued_until: now, expires_at: new Date(now.getTime() + TOKEN_LIFE_MS) };
    await denials.updateOne({ _id }, { $set: denial }, { upsert: true });
    list.keep({ _id, ...denial });
  }

  return {
    /** Denies a subject's tokens issued until now. */
    denySubject: (subject: string) => put(subjectEntryId(subject)),

    denyGrant: (grantId: string) => put(`grant:${publicGrantId(grantId)}`),

    /** Whether an unexpired token is denied. Throws when the list is too old and cannot be read. */
    async denies(token: DeniableToken): Promise<boolean> {
      const denied = denialIn(await list.follow(), token);
      return denied ?? (await oidc.findOne({ _id: `Grant:${token.grant}`, ...unexpired(clock()) }).lean()) === null;
    },
  };
}

/** Whether the entries deny a token; null when that depends on whether its grant exists. */
function denialIn(
  entries: ReadonlyMap<string, { readonly issued_until: Date }>,
  { subject, grant, issuedAt }: DeniableToken,
): boolean | null {
  // The list is usually empty: do not hash the subject then.
  if (entries.size === 0) return false;
  if (grant !== null && entries.has(`grant:${grant}`)) return true;
  const issuedUntil = entries.get(subjectEntryId(subject))?.issued_until.getTime();
  if (issuedUntil === undefined || issuedAt > issuedUntil + MAX_CLOCK_SKEW_MS) return false;
  return issuedAt <= issuedUntil || grant === null ? true : null;
}
