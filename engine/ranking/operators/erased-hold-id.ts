import { createHmac } from 'node:crypto';
import { codenameKey } from '../../contract/signing/index.ts';
import type { ErasedHoldId } from '../storage/codename-holds.ts';
import type { SharedSecret } from '../types.ts';

/** Key of the HMAC over codenames of erased operators. */
const SECRET_NAME = 'erased-codenames';

/** Creates hold ids that reveal no codename without the secret. The secret is read once. */
export function createErasedHoldId(sharedSecret: SharedSecret): ErasedHoldId {
  let secret: Promise<string> | null = null;
  return async (codename) => {
    secret ??= sharedSecret(SECRET_NAME).catch((error: unknown) => {
      secret = null;
      throw error;
    });
    return `~${createHmac('sha256', await secret)
      .update(codenameKey(codename))
      .digest('base64url')}`;
  };
}
