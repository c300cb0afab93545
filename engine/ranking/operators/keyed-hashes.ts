import { createHmac } from 'node:crypto';
import { codenameKey } from '../../contract/signing/index.ts';
import type { ErasedHoldId } from '../storage/codename-holds.ts';
import type { SharedSecret } from '../types.ts';

/** Creates hold ids that reveal no codename without the secret. */
export function createErasedHoldId(sharedSecret: SharedSecret): ErasedHoldId {
  const hash = createKeyedHash(sharedSecret, 'erased-codenames');
  return async (codename) => `~${await hash(codenameKey(codename))}`;
}

/** Creates the hash of a text under a shared secret, which is read once. */
function createKeyedHash(sharedSecret: SharedSecret, name: string): (text: string) => Promise<string> {
  let secret: Promise<string> | null = null;
  return async (text) => {
    secret ??= sharedSecret(name).catch((error: unknown) => {
      secret = null;
      throw error;
    });
    return createHmac('sha256', await secret)
      .update(text)
      .digest('base64url');
  };
}
