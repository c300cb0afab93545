import { createHmac, createPublicKey, randomBytes, timingSafeEqual } from 'node:crypto';
import { automationKey } from '../../contract/automation-key.ts';
import { AUTOMATION_TOKEN_PATTERN } from '../../contract/signing/index.ts';
import { MAX_AUTOMATION_LIFETIME_MS } from '../limits.ts';
import type { AccountParts } from '../open-parts.ts';
import { hashOf } from '../secrets.ts';
import { readPublicKey } from './read-public-key.ts';

const RANDOM_BYTES = 33;
const TAG_BYTES = 12;

export interface AutomationTokenRequest {
  readonly operator: number;
  readonly name: string;
  /** At most `MAX_AUTOMATION_LIFETIME_MS`. */
  readonly lifetimeMs: number;
  /** The client's address, for the audit log. */
  readonly client: string | null;
}

/**
 * Automation tokens, with which a machine without a browser submits. A token is stored, by its hash, with the device key that is
 * derived from it: the key is enrolled with the token, counts as a device, and is revoked with it, by `devices.revoke`.
 */
export function createAutomationTokens({ devices, shared, audit, clock }: AccountParts) {
  async function tagOf(random: string): Promise<Buffer> {
    const key = await shared.secret('automation-tokens');
    return createHmac('sha256', key).update(random).digest().subarray(0, TAG_BYTES);
  }

  /** Whether this service made a token, at whatever time. Reads no store, so that invented tokens cost no query. */
  async function isGenuine(token: string): Promise<boolean> {
    const [, random, tag] = AUTOMATION_TOKEN_PATTERN.exec(token) ?? [];
    if (random === undefined || tag === undefined) return false;
    return timingSafeEqual(Buffer.from(tag, 'base64url'), await tagOf(random));
  }

  return {
    isGenuine,

    /** Makes a token, whose text is known only now; null when the operator has no place for another device. */
    async make({ operator, name, lifetimeMs, client }: AutomationTokenRequest): Promise<string | null> {
      if (!(lifetimeMs > 0 && lifetimeMs <= MAX_AUTOMATION_LIFETIME_MS))
        throw new RangeError('the lifetime of a token');
      const random = randomBytes(RANDOM_BYTES).toString('base64url');
      const token = `ups_${random}${(await tagOf(random)).toString('base64url')}`;
      const key = await readPublicKey(createPublicKey(automationKey(token)).export({ format: 'jwk' }));
      if (key === null) throw new Error('a derived key is not acceptable');
      const { kid, jwk } = key;
      const now = clock();
      const automation = { token: hashOf(token), expires_at: new Date(now + lifetimeMs) };
      const device = { kid, operator, publicKey: jwk.x, name, createdAt: new Date(now), automation };
      const insertion = await devices.insert(device);
      if (insertion === 'full') return null;
      if (insertion === 'exists') throw new Error('a random token exists');
      await audit.record({ kind: 'automation_token_made', operator, client, detail: { kid, name } });
      return token;
    },

    /** The operator of a token, which is recorded as used; null when it is not genuine, revoked or expired. */
    use: async (token: string): Promise<number | null> =>
      (await isGenuine(token)) ? devices.useToken(hashOf(token), new Date(clock())) : null,
  };
}
