import type { mongo } from 'mongoose';
import type { AuditKind, OneTimeKind, SignInProvider } from '../types.ts';

/** `_id` is the operator's sequence number. */
export interface AccountDocument {
  _id: number;
  subject: string;
  plan: string;
  suspended: boolean;
  created_at: Date;
}

/** `_id` is the key's thumbprint, so a key belongs to one operator. */
export interface DeviceDocument {
  _id: string;
  operator: number;
  /** The raw public key, base64url. */
  x: string;
  name: string | null;
  created_at: Date;
  revoked_at?: Date;
  /** Slot of the operator, from 0; absent once revoked. */
  slot?: number;
}

/** `_id` numbers the keys from 1; the highest is in use. */
export interface SigningKeyDocument {
  _id: number;
  kid: string;
  x: string;
  /** PKCS #8, DER; absent when encrypted. */
  private_key?: mongo.Binary;
  encrypted?: EncryptedMember;
  created_at: Date;
}

/** A secret encrypted by `SECRETS_KEY`. */
export interface EncryptedMember {
  key_id: string;
  /** Nonce, ciphertext and tag. */
  bytes: mongo.Binary;
}

/** `_id` is `{provider}:{subject}`, so an identity belongs to one account. */
export interface IdentityDocument {
  _id: string;
  operator: number;
  provider: SignInProvider;
  label: string;
  /** The address that the provider has verified. */
  email: string | null;
  created_at: Date;
  used_at: Date;
}

/** `_id` is a verified address in canonical form, so an address belongs to one account. */
export interface AddressDocument {
  _id: string;
  operator: number;
  /** Keys of the account's identities whose provider has verified the address. */
  vouchers: string[];
  verified_at: Date;
}

/** `_id` is the SHA-256 of the secret in the browser's cookie. */
export interface SessionDocument {
  _id: string;
  operator: number;
  provider: SignInProvider;
  /** The key of the identity that opened the session; absent in sessions stored before this field existed. */
  identity?: string;
  authenticated_at: Date;
  expires_at: Date;
}

/** `_id` is the SHA-256 of the secret. */
export interface OneTimeDocument {
  _id: string;
  kind: OneTimeKind;
  data: Record<string, unknown>;
  about: string | null;
  /** Its place in a quota. Each place holds one secret, so counting and issuing are one write. */
  place?: string;
  created_at: Date;
  valid_until: Date;
  consumed_at?: Date;
  /** When the document is deleted. */
  expires_at: Date;
}

/** A record of the authorization server. `_id` is the model and a hash of its id, so no credential is stored. */
export interface OidcDocument {
  _id: string;
  model: string;
  payload: Record<string, unknown>;
  grant_id?: string;
  uid?: string;
  user_code?: string;
  subject?: string;
  /** Of a grant: the key of the identity whose sign-in opened it; absent in grants stored before this field existed. */
  identity?: string;
  consumed_at?: Date;
  expires_at?: Date;
}

/** `_id` is `grant:` or `subject:` and a hash. */
export interface DenialDocument {
  _id: string;
  /** Time of the last write. */
  at: Date;
  /** Tokens issued at or before this time are denied. */
  issued_until: Date;
  expires_at: Date;
}

/** `_id` is the operator's sequence number. */
export interface AccountChangeDocument {
  _id: number;
  /** Writes since the entry was created. */
  count: number;
  /** Time of the last write. */
  at: Date;
  expires_at: Date;
}

/** `_id` is the sequence number of an operator who asked for erasure. */
export interface ErasureDocument {
  _id: number;
  /** SHA-256 of the account's subject. */
  subject_hash: string;
  erased_at: Date;
  /** When the erasure was complete. */
  done_at?: Date;
}

export interface AuditDocument {
  _id: mongo.ObjectId;
  at: Date;
  kind: AuditKind;
  operator: number | null;
  client: string | null;
  detail: Record<string, string>;
}

/** A secret shared by all processes. `_id` is its purpose. */
export interface SecretDocument {
  _id: string;
  /** Absent when encrypted. */
  value?: string;
  encrypted?: EncryptedMember;
}

/** The common shape of documents with a secret, in either collection. */
export type SecretHolder = Partial<Pick<SigningKeyDocument, 'kid' | 'x' | 'private_key'>> &
  Omit<SecretDocument, '_id'> & { _id: string | number };

/** A lock; `_id` identifies what one process may do at a time. */
export interface SignUpDocument {
  _id: string;
  holder: string;
  until: Date;
}
