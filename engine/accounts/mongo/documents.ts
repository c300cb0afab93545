import type { mongo } from 'mongoose';

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
  /** PKCS #8, DER. */
  private_key: mongo.Binary;
  created_at: Date;
}
