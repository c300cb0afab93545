import { MAX_CLOCK_SKEW_MS } from '../../contract/signing/index.ts';
import { followList, forgetExpired } from '../follow-list.ts';
import { MAX_ACCESS_TOKEN_LIFETIME_S } from '../limits.ts';
import type { DenialStore, StoredDenial } from '../mongo/denial-store.ts';
import { hashOf } from '../secrets.ts';
import type { Clock, DeniableToken, Denials } from '../types.ts';

/** No token that a denial is about lives longer after it was issued, in milliseconds. */
const TOKEN_LIFE_MS = MAX_ACCESS_TOKEN_LIFETIME_S * 1_000 + MAX_CLOCK_SKEW_MS;

/** The deny-list with what only this module may do to it. */
export interface DenialList extends Denials {
  denyGrant(grantId: string): Promise<void>;
}

/** The name of a grant as access tokens carry it: it tells nothing and opens nothing. */
export function grantName(grantId: string): string {
  return hashOf(`grant:${grantId}`);
}

/** A denial outlives an erasure for a while: it keeps no more of the subject than is needed to know its tokens. */
function subjectName(subject: string): string {
  return `subject:${hashOf(subject)}`;
}

/** The deny-list in this process's memory, as `followList` follows it. */
export function createDenials(store: DenialStore, clock: Clock): DenialList {
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
      const names = grant === null ? [subjectName(subject)] : [subjectName(subject), `grant:${grant}`];
      return names.some((name) => {
        const entry = entries.get(name);
        return entry !== undefined && issuedAt <= entry.issuedUntil.getTime();
      });
    },
  };
}
