import { MAX_CLOCK_SKEW_MS } from '../../contract/signing/index.ts';
import { followList, forgetExpired } from '../follow-list.ts';
import { MAX_ACCESS_TOKEN_LIFETIME_S } from '../limits.ts';
import type { DenialStore, StoredDenial } from '../mongo/denial-store.ts';
import type { OidcStore } from '../mongo/oidc-store.ts';
import { hashOf } from '../secrets.ts';
import type { Clock, DeniableToken, Denials } from '../types.ts';

/** No token that a denial is about lives longer after it was issued, in milliseconds. */
const TOKEN_LIFE_MS = MAX_ACCESS_TOKEN_LIFETIME_S * 1_000 + MAX_CLOCK_SKEW_MS;

/** The deny-list with what only this module may do to it. */
export interface DenialList extends Denials {
  denyGrant(grantId: string): Promise<void>;
}

/** The name of a grant in access tokens and as the key of its record. It reveals and unlocks nothing. */
export function grantName(grantId: string): string {
  return hashOf(grantId);
}

/** A denial outlives an erasure for a while: it keeps no more of the subject than is needed to know its tokens. */
function subjectName(subject: string): string {
  return `subject:${hashOf(subject)}`;
}

/**
 * The deny-list in this process's memory, as `followList` follows it. A token may be dated by a clock that is ahead of the
 * denying one by MAX_CLOCK_SKEW_MS. Tokens dated within that time after the denial pass only if their grant still exists,
 * because a denial also deletes the grants that it ends.
 */
export function createDenials(store: DenialStore, grants: Pick<OidcStore, 'find'>, clock: Clock): DenialList {
  const entries = new Map<string, StoredDenial>();
  const take = (read: readonly StoredDenial[], now: number): void => {
    for (const entry of read) entries.set(entry.name, entry);
    forgetExpired(entries, now);
  };
  const follow = followList((at) => store.since(at), take, clock);

  async function put(name: string): Promise<void> {
    const at = new Date(clock());
    const entry = { name, at, issuedUntil: at, expiresAt: new Date(at.getTime() + TOKEN_LIFE_MS) };
    await store.put(entry);
    entries.set(name, entry);
  }

  return {
    denySubject: (subject) => put(subjectName(subject)),
    denyGrant: (grantId) => put(`grant:${grantName(grantId)}`),
    async denies({ subject, grant, issuedAt }: DeniableToken) {
      await follow();
      if (grant !== null && entries.has(`grant:${grant}`)) return true;
      const issuedUntil = entries.get(subjectName(subject))?.issuedUntil.getTime();
      if (issuedUntil === undefined || issuedAt > issuedUntil + MAX_CLOCK_SKEW_MS) return false;
      if (issuedAt <= issuedUntil || grant === null) return true;
      return (await grants.find(`Grant:${grant}`, new Date(clock()))) === null;
    },
  };
}
