import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { LeagueVisibility } from '../../contract/index.ts';
import type { LeagueDocument } from '../mongo/models.ts';
import type { createSharedStore } from '../mongo/shared-store.ts';

/** Of random slugs and of codes: 128 bits. */
const RANDOM_BYTES = 16;

/** Characters of a slug that is made of a name, without the number that makes it unique. */
const SLUG_CHARS = 40;

/** A slug: the name for public leagues, with a number where that is `taken`; random for all others. */
export function newSlug(name: string, visibility: LeagueVisibility, taken = false): string {
  if (visibility !== 'public') return randomBytes(RANDOM_BYTES).toString('base64url');
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .match(/[a-z0-9]+/g) ?? ['league'];
  const slug = words.join('-').slice(0, SLUG_CHARS).replace(/-$/, '');
  return taken ? `${slug}-${randomInt(1e9)}` : slug;
}

/**
 * The codes by which operators join. A code is computed from the league and the number of its code with a secret of the
 * installation: its owner can see it again, and a reader of the leagues alone gets no credential.
 */
export function createLeagueCodes(shared: Pick<ReturnType<typeof createSharedStore>, 'secret'>) {
  /** The valid code of a league; null while there is none. */
  async function codeOf({ _id, codes, open }: Pick<LeagueDocument, '_id' | 'codes' | 'open'>): Promise<string | null> {
    const secret = await shared.secret('league-codes');
    const code = createHmac('sha256', secret).update(`${_id}\n${codes}`).digest().subarray(0, RANDOM_BYTES);
    return open ? code.toString('base64url') : null;
  }

  return {
    codeOf,
    /** Whether a code is the valid one of a league. An unknown league takes as long as one of another code. */
    async isCode(league: Parameters<typeof codeOf>[0] | null, code: string): Promise<boolean> {
      const valid = await codeOf(league ?? { _id: '', codes: 0, open: true });
      const [given, wanted] = [Buffer.from(code), Buffer.from(valid ?? '')];
      return given.length === wanted.length && timingSafeEqual(given, wanted) && league !== null && valid !== null;
    },
  };
}
