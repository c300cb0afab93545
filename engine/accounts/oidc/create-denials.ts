import { MAX_CLOCK_SKEW_MS } from '../../contract/signing/index.ts';
import { followList, forgetExpired } from '../follow-list.ts';
import { MAX_ACCESS_TOKEN_LIFETIME_S } from '../limits.ts';
import type { DenialStore, StoredDenial } from '../mongo/denial-store.ts';
import type { OidcStore } from '../mongo/oidc-store.ts';
import { hashOf } from '../secrets.ts';
import type { Clock, DeniableToken, Denials } from '../types.ts';

/** Longest time that a denied token stays valid, in milliseconds: a denial is kept this long. */
const TOKEN_LIFE_MS = MAX_ACCESS_TOKEN_LIFETIME_S * 1_000 + MAX_CLOCK_SKEW_MS;

/** The deny-list with the operations internal to this module. */
export interface InternalDenials extends Denials {
  denyGrant(grantId: string): Promise<void>;
}

/** The public id of a grant, in access tokens and record keys: a hash, so it is no credential. */
export function publicGrantId(grantId: string): string {
  return hashOf(grantId);
}

/** A denial outlives an erasure for a while, so it stores only a hash of the subject. */
function subjectEntryId(subject: string): string {
  return `subject:${hashOf(subject)}`;
}

/**
 * The deny-list in this process's memory, as `followList` follows it. A token may be dated by a clock that is ahead of the
 * denying one by MAX_CLOCK_SKEW_MS. Tokens dated within that time after the denial pass only if their grant still exists,
 * because a denial also deletes the grants that it ends.
 */
export function createDenials(store: DenialStore, grants: Pick<OidcStore, 'find'>, clock: Clock): InternalDenials {
  const entries = new Map<string, StoredDenial>();
  const applyEntries = (read: readonly StoredDenial[], now: number): void => {
    for (const entry of read) entries.set(entry.id, entry);
    forgetExpired(entries, now);
  };
  const follow = followList((at) => store.since(at), applyEntries, clock);

  async function put(id: string): Promise<void> {
    const at = new Date(clock());
    const entry = { id, at, issuedUntil: at, expiresAt: new Date(at.getTime() + TOKEN_LIFE_MS) };
    await store.put(entry);
    entries.set(id, entry);
  }

  return {
    denySubject: (subject) => put(subjectEntryId(subject)),
    denyGrant: (grantId) => put(`grant:${publicGrantId(grantId)}`),
    async denies({ subject, grant, issuedAt }: DeniableToken) {
      await follow();
      if (grant !== null && entries.has(`grant:${grant}`)) return true;
      const issuedUntil = entries.get(subjectEntryId(subject))?.issuedUntil.getTime();
      if (issuedUntil === undefined || issuedAt > issuedUntil + MAX_CLOCK_SKEW_MS) return false;
      if (issuedAt <= issuedUntil || grant === null) return true;
      return (await grants.find(`Grant:${grant}`, new Date(clock()))) === null;
    },
  };
}
