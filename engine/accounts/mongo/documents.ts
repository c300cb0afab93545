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

/** `_id` is the key's thumbprint: a key belongs to one operator because it has one document. */
export interface DeviceDocument {
  _id: string;
  operator: number;
  /** The raw public key, base64url. */
  x: string;
  name: string | null;
  created_at: Date;
  revoked_at?: Date;
  /** Which of the operator's places this device holds, from 0; a revoked one holds none. */
  slot?: number;
}

/** `_id` counts the keys from 1; the highest is in use. */
export interface SigningKeyDocument {
  _id: number;
  kid: string;
  x: string;
  /** PKCS #8, DER; absent where it is encrypted. */
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

/** `_id` is the provider and its name of the person: one account has an identity because there is one document. */
export interface IdentityDocument {
  _id: string;
  operator: number;
  provider: SignInProvider;
  label: string;
  /** The address that the provider vouches for. */
  email: string | null;
  created_at: Date;
  used_at: Date;
}

/** `_id` is a verified address in its canonical form: it belongs to one account. */
export interface AddressDocument {
  _id: string;
  operator: number;
  /** Keys of the account's identities whose provider vouches for the address now. */
  vouchers: string[];
  verified_at: Date;
}

/** `_id` is the SHA-256 of the secret that the browser holds. */
export interface SessionDocument {
  _id: string;
  operator: number;
  provider: SignInProvider;
  /** The key of the identity that opened it; sessions from before it was kept have none. */
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
  /** Its place in a share. Each place holds one secret, so that counting and issuing are one write. */
  place?: string;
  created_at: Date;
  valid_until: Date;
  consumed_at?: Date;
  /** When the document itself goes. */
  expires_at: Date;
}

/** What the authorization server keeps. `_id` is the model and a hash of its id, so that nothing here is a credential. */
export interface OidcDocument {
  _id: string;
  model: string;
  payload: Record<string, unknown>;
  grant_id?: string;
  uid?: string;
  user_code?: string;
  subject?: string;
  /** Of a grant: the key of the identity whose sign-in opened it. Grants from before it was kept have none. */
  identity?: string;
  consumed_at?: Date;
  expires_at?: Date;
}

/** `_id` is `grant:` or `subject:` with its name. */
export interface DenialDocument {
  _id: string;
  /** When it was written last. */
  at: Date;
  /** Tokens issued at or before this moment are refused. */
  issued_until: Date;
  expires_at: Date;
}

/** `_id` is the operator's sequence number. */
export interface AccountChangeDocument {
  _id: number;
  /** Changes told of while the entry was there. */
  count: number;
  /** When it was written last. */
  at: Date;
  expires_at: Date;
}

/** `_id` is the sequence number of an operator who asked to be forgotten. */
export interface ErasureDocument {
  _id: number;
  /** SHA-256 of the account's subject. */
  subject_hash: string;
  erased_at: Date;
  /** When nothing was left to do. */
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

/** Secrets that all processes share. */
export interface SecretDocument {
  _id: string;
  /** Absent where it is encrypted. */
  value?: string;
  encrypted?: EncryptedMember;
}

/** What documents that hold a secret have, of whichever collection. */
export type SecretHolder = Partial<Pick<SigningKeyDocument, 'kid' | 'x' | 'private_key'>> &
  Omit<SecretDocument, '_id'> & { _id: string | number };

/** `_id` is what only one process may do at a time. */
export interface SignUpDocument {
  _id: string;
  holder: string;
  until: Date;
}
