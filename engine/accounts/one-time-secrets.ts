import { insertUnlessTaken } from '../mongo/index.ts';
import { SPENT_SECRET_RETENTION_MS } from './limits.ts';
import type { Models, OneTimeDocument } from './mongo/models.ts';
import { hashOf, newSecret } from './secrets.ts';
import type { OneTimeKind } from './types.ts';

export interface OneTimeRequest extends Pick<OneTimeDocument, 'kind' | 'data'> {
  readonly lifetimeMs: number;
  /** Hash of what the secret concerns, such as an address. An erasure deletes by it. */
  readonly about?: string;
}

export type OneTimeSecrets = ReturnType<typeof createOneTimeSecrets>;

/** Short-lived secrets that work once: links, OAuth states, consent tickets. Only their hashes are stored. */
export function createOneTimeSecrets({ oneTime }: Pick<Models, 'oneTime'>, clock: () => number) {
  const documentOf = (secret: string, { kind, data, lifetimeMs, about }: OneTimeRequest) => {
    const now = clock();
    return {
      _id: hashOf(secret),
      kind,
      data: { ...data },
      about: about ?? null,
      created_at: new Date(now),
      valid_until: new Date(now + lifetimeMs),
      expires_at: new Date(now + lifetimeMs + SPENT_SECRET_RETENTION_MS),
    };
  };
  return {
    async issue(request: OneTimeRequest): Promise<string> {
      const secret = newSecret();
      await oneTime.insertOne(documentOf(secret, request));
      return secret;
    },

    /**
     * Issues a secret; null when the quota, shared by all processes, is used up. `requester` identifies the requester and the
     * purpose; the counting periods are aligned to the epoch.
     */
    async issueWithin(
      { requester, max, periodMs }: Readonly<Record<'max' | 'periodMs', number>> & { readonly requester: string },
      request: OneTimeRequest,
    ): Promise<string | null> {
      const secret = newSecret();
      const quotaId = hashOf(`${requester}\n${Math.floor(clock() / periodMs)}`);
      for (let index = 0; index < max; index += 1) {
        const document = { ...documentOf(secret, request), place: `${quotaId}:${index}` };
        if (await insertUnlessTaken(() => oneTime.insertOne(document))) return secret;
      }
      return null;
    },

    /** Returns the record of a secret without consuming it; null for an unknown secret. */
    async peek(kind: OneTimeKind, secret: string) {
      const found = await oneTime.findOne({ _id: hashOf(secret), kind }).lean();
      if (found === null) return null;
      const { data, consumed_at, valid_until } = found;
      const unused = valid_until.getTime() <= clock() ? 'late' : 'fresh';
      return { data, state: consumed_at === undefined ? unused : 'used' } as const;
    },

    /** Consumes a fresh secret: returns its data to one of any number of callers, null to the others. */
    async consume(kind: OneTimeKind, secret: string): Promise<OneTimeDocument['data'] | null> {
      const now = new Date(clock());
      const fresh = { _id: hashOf(secret), kind, consumed_at: { $exists: false }, valid_until: { $gt: now } };
      const found = await oneTime.findOneAndUpdate(fresh, { $set: { consumed_at: now } }).lean();
      return found?.data ?? null;
    },

    /** Deletes the secrets about these hashes, and those that would link an identity to the operator. */
    async eraseAbout(about: readonly string[], operator: number): Promise<void> {
      await oneTime.deleteMany({ $or: [{ about: { $in: [...about] } }, { 'data.linkTo': operator }] });
    },
  };
}
