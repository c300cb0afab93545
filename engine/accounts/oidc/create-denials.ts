import { MAX_CLOCK_SKEW_MS } from '../../contract/signing/index.ts';
import { DENIAL_FOLLOW_MS, MAX_ACCESS_TOKEN_LIFETIME_S } from '../limits.ts';
import type { DenialStore, StoredDenial } from '../mongo/denial-store.ts';
import { hashOf } from '../secrets.ts';
import type { Clock, DeniableToken, Denials } from '../types.ts';

/** The list is asked for changes when it was not for this long, in milliseconds. */
const REFRESH_MS = 1_000;

/** Changes are asked for from this long before the last answer, because writers' clocks differ, in milliseconds. */
const OVERLAP_MS = 60_000;

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

/**
 * The deny-list in this process's memory. It is read anew, beside requests, when it is older than a second; a request that
 * finds it older than `DENIAL_FOLLOW_MS` waits for it.
 */
export function createDenials(store: DenialStore, clock: Clock): DenialList {
  const entries = new Map<string, StoredDenial>();
  let readAt: number | null = null;
  let reading: Promise<void> | null = null;

  async function read(): Promise<void> {
    const startedAt = clock();
    const since = readAt === null ? 0 : Math.min(readAt, startedAt) - OVERLAP_MS;
    for (const entry of await store.since(new Date(since))) {
      entries.set(entry.name, entry);
    }
    for (const [name, { expiresAt }] of entries) if (expiresAt.getTime() <= startedAt) entries.delete(name);
    readAt = startedAt;
  }

  function refresh(): Promise<void> {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  }

  async function follow(): Promise<void> {
    const age = readAt === null ? Number.POSITIVE_INFINITY : clock() - readAt;
    // A clock that was set back says nothing about how old the list is.
    if (age >= DENIAL_FOLLOW_MS || age < 0) await refresh();
    // What fails here is tried again by the next request, and waited for once the list is too old.
    else if (age >= REFRESH_MS) void refresh().catch(() => undefined);
  }

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
