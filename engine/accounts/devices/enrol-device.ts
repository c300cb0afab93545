import { isPublishedKey } from '../../contract/signing/index.ts';
import { MAX_LIVE_DEVICES } from '../limits.ts';
import type { AccountParts } from '../open-parts.ts';
import type { DeviceRecord } from '../types.ts';
import { readPublicKey } from './read-public-key.ts';
import { verifyDeviceProof } from './verify-device-proof.ts';

export interface EnrolmentRequest {
  readonly operator: number;
  readonly codename: string;
  /** The public JWK, unvalidated. */
  readonly jwk: unknown;
  readonly name?: string | undefined;
  /** Compact JWS by the key over `{codename, iat}`, `typ` device-proof+jws. */
  readonly proof: string;
}

type EnrolmentRefusal = 'key_invalid' | 'proof_invalid' | 'device_limit' | 'key_taken' | 'key_revoked';

export type EnrolmentOutcome = Awaited<ReturnType<typeof enrolDevice>>;

/**
 * Enrols a device key for an operator: the key must be an acceptable Ed25519 public key, and its proof recent and over the
 * operator's codename. It belongs to one operator permanently, revoked or not: enrolling it again for the same operator returns the
 * existing device.
 */
export async function enrolDevice({ devices: store, audit, clock }: AccountParts, request: EnrolmentRequest) {
  const now = clock();
  const { operator, codename, name = null } = request;
  const key = await readPublicKey(request.jwk);
  if (key === null) return refused('key_invalid', 'The key is not the public JWK of an acceptable Ed25519 key.');
  if (isPublishedKey(key.jwk.x)) return refused('key_invalid', PUBLISHED_KEY);
  const fault = await verifyDeviceProof(request.proof, key, { codename, now });
  if (fault !== null) return refused('proof_invalid', fault);
  const known = await store.find(key.kid);
  if (known !== null) return outcomeOfExisting(operator, known);
  const createdAt = new Date(now);
  const insertion = await store.insert({ kid: key.kid, operator, publicKey: key.jwk.x, name, createdAt });
  if (insertion === 'inserted') {
    const { kid } = key;
    await audit.record({ kind: 'device_enrolled', operator, client: null, detail: { kid } });
    return { kind: 'enrolled', device: { kid, name, created_at: createdAt.toISOString(), revoked_at: null } } as const;
  }
  if (insertion === 'full') {
    return refused(
      'device_limit',
      `An operator has at most ${MAX_LIVE_DEVICES} devices. Revoke one that is no longer used.`,
    );
  }
  const concurrent = await store.find(key.kid);
  if (concurrent === null) throw new Error('a device that was just enrolled is missing');
  return outcomeOfExisting(operator, concurrent);
}

const PUBLISHED_KEY =
  'The private half of this key is published as a test vector, so anybody can sign with it. Generate a key on the device.';

function outcomeOfExisting(operator: number, known: { readonly operator: number; readonly device: DeviceRecord }) {
  if (known.operator !== operator) return refused('key_taken', 'This key is enrolled for another operator.');
  if (known.device.revoked_at !== null) {
    return refused('key_revoked', 'This key was revoked, which is final. Generate a new one.');
  }
  return { kind: 'exists', device: known.device } as const;
}

function refused(code: EnrolmentRefusal, detail: string) {
  return { kind: 'refused', code, detail } as const;
}
