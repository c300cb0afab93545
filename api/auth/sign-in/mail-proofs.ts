import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import { DAY_MS } from '../../../config/units.ts';
import type { Accounts } from '../../../engine/accounts/index.ts';
import type { Clock } from '../../../engine/ranking/index.ts';
import type { createCookies } from './cookies.ts';

/** Lifetime of a proof, in milliseconds: a year. */
export const MAIL_PROOF_LIFETIME_MS = 365 * DAY_MS;

/** Proofs kept per browser: those of the latest sign-ins. */
const MAX_PROOFS = 8;

const ID_BYTES = 9;

/** `id:seconds:mac` */
const PROOF = /^([\w-]{12}):(\d{10}):([\w-]{43})$/;

/** Signed proofs, in a cookie, that a browser followed a link mailed to an address. They contain neither address nor account. */
export function createMailProofs(
  accounts: Pick<Accounts, 'sharedSecret'>,
  cookies: ReturnType<typeof createCookies>,
  clock: Clock,
) {
  const sign = async (address: string, id: string, seconds: string): Promise<string> => {
    const key = await accounts.sharedSecret('mail-proofs');
    return createHmac('sha256', key).update(`${id}\n${seconds}\n${address}`).digest('base64url');
  };
  const idOf = async (proof: string, address: string): Promise<string | null> => {
    const [, id, seconds, mac] = PROOF.exec(proof) ?? [];
    if (id === undefined || seconds === undefined || mac === undefined) return null;
    if (clock() - Number(seconds) * 1_000 > MAIL_PROOF_LIFETIME_MS) return null;
    return timingSafeEqual(Buffer.from(mac), Buffer.from(await sign(address, id, seconds))) ? id : null;
  };
  return {
    /** The id of the browser's proof for the address; null when it has none. */
    async find(ctx: Context, address: string): Promise<string | null> {
      for (const proof of cookies.mailProofs(ctx)) {
        const id = await idOf(proof, address);
        if (id !== null) return id;
      }
      return null;
    },
    async add(ctx: Context, address: string): Promise<void> {
      const kept: string[] = [];
      for (const proof of cookies.mailProofs(ctx)) if ((await idOf(proof, address)) === null) kept.push(proof);
      const id = randomBytes(ID_BYTES).toString('base64url');
      const seconds = String(Math.floor(clock() / 1_000));
      const proof = `${id}:${seconds}:${await sign(address, id, seconds)}`;
      cookies.setMailProofs(ctx, [proof, ...kept].slice(0, MAX_PROOFS), MAIL_PROOF_LIFETIME_MS);
    },
  };
}
