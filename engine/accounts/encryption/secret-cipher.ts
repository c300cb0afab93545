import { createCipheriv, createDecipheriv, createHmac, type KeyObject, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
/** NIST SP 800-38D: 96 random bits, for at most 2^32 encryptions by one key; this service makes far fewer. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 9;
const RUNBOOK = 'ops/docs/runbooks/secrets-key-lost.md';

/** The keys of this process do not decrypt a stored secret, or the secret is stored in clear although a key is set. */
export class SecretsKeyError extends Error {
  override readonly name = 'SecretsKeyError';
  /** The unusable settings, as a SettingsError lists them. */
  readonly problems: readonly string[];

  constructor(problem: string) {
    super(`SECRETS_KEY ${problem}. See ${RUNBOOK}`);
    this.problems = [this.message];
  }
}

/** The stored form of a secret. */
export interface EncryptedSecret {
  /** Identifies the key without revealing it. */
  readonly keyId: string;
  /** Nonce, ciphertext and tag. */
  readonly bytes: Uint8Array;
}

export type SecretCipher = ReturnType<typeof createSecretCipher>;

/**
 * Encrypts secrets with AES-256-GCM and the first of the keys; decrypts with any of them. The identity of a record is
 * additional authenticated data, so a secret copied into another record does not decrypt.
 */
export function createSecretCipher(keys: readonly KeyObject[]) {
  const byId = new Map(keys.map((key) => [keyIdOf(key), key]));
  const [first] = byId;
  return {
    /** The id of the key that encrypts; null without a key, when secrets are stored in clear. */
    keyId: first?.[0] ?? null,

    /** Null without a key. */
    encrypt(identity: string, secret: Uint8Array): EncryptedSecret | null {
      if (first === undefined) return null;
      const [keyId, key] = first;
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(identity));
      return { keyId, bytes: Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]) };
    },

    /** @throws SecretsKeyError when the key is missing, or the bytes are not those of this record. */
    decrypt(identity: string, { keyId, bytes }: EncryptedSecret): Buffer {
      if (byId.size === 0) {
        throw new SecretsKeyError(`is not set, and ${identity} is encrypted: set the key whose id is ${keyId}`);
      }
      const key = byId.get(keyId);
      if (key === undefined)
        throw new SecretsKeyError(`is not the key whose id is ${keyId}, which encrypts ${identity}`);
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const tag = bytes.subarray(NONCE_BYTES).subarray(-TAG_BYTES);
      try {
        const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(identity)).setAuthTag(tag);
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
      } catch {
        throw new SecretsKeyError(
          `does not decrypt ${identity}: the record is damaged, or was copied from another record`,
        );
      }
    },
  };
}

/** A MAC of a fixed text, which does not reveal a key of 32 random bytes. */
function keyIdOf(key: KeyObject): string {
  const mac = createHmac('sha256', key).update('upsilon secrets key id').digest();
  return mac.subarray(0, KEY_ID_BYTES).toString('base64url');
}
