import { type CompactVerifyResult, compactVerify, errors } from 'jose';
import { MS_PER_SECOND } from '../../../config/units.ts';
import {
  codenameKey,
  DEVICE_PROOF_TYP,
  FORBIDDEN_HEADER_MEMBERS,
  MAX_CLOCK_SKEW_MS,
  SIGNATURE_ALG,
} from '../../contract/signing/index.ts';
import type { EnrolledKey } from './read-public-key.ts';

/** What a proof is checked against. `now` is in milliseconds since the epoch. */
export interface ProofExpectation {
  readonly codename: string;
  readonly now: number;
}

/** Why the proof does not show that this operator's device has the key, as a sentence; null when it does. */
export async function verifyDeviceProof(
  proof: string,
  key: EnrolledKey,
  { codename, now }: ProofExpectation,
): Promise<string | null> {
  const verified = await verifyCompact(proof, key);
  if (verified === null) return 'The proof is not a compact JWS that this key signed with EdDSA.';
  const header: Readonly<Record<string, unknown>> = { ...verified.protectedHeader };
  const forbidden = FORBIDDEN_HEADER_MEMBERS.find((member) => Object.hasOwn(header, member));
  if (forbidden !== undefined) return `The proof's header must not have the member ${forbidden}.`;
  if (header['typ'] !== DEVICE_PROOF_TYP) return `The proof's header must have typ ${DEVICE_PROOF_TYP}.`;
  if (header['kid'] !== undefined && header['kid'] !== key.kid)
    return "The kid in the proof's header is that of another key.";
  const claims = readClaims(verified.payload);
  if (claims === null) return 'The proof must be over {"codename": text, "iat": whole seconds}.';
  if (codenameKey(claims.codename) !== codenameKey(codename))
    return `The proof is over another codename than the operator's, which is ${codename}.`;
  if (Math.abs(claims.iat * MS_PER_SECOND - now) > MAX_CLOCK_SKEW_MS) {
    return `The proof's iat is more than 5 minutes from the server's time, which was ${new Date(now).toISOString()}.`;
  }
  return null;
}

async function verifyCompact(proof: string, key: EnrolledKey): Promise<CompactVerifyResult | null> {
  try {
    return await compactVerify(proof, key.jwk, { algorithms: [SIGNATURE_ALG] });
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

function readClaims(payload: Uint8Array): { readonly codename: string; readonly iat: number } | null {
  const claims = parseJson(new TextDecoder().decode(payload));
  if (typeof claims !== 'object' || claims === null) return null;
  if (!('codename' in claims && typeof claims.codename === 'string')) return null;
  if (!('iat' in claims && typeof claims.iat === 'number' && Number.isSafeInteger(claims.iat))) return null;
  return { codename: claims.codename, iat: claims.iat };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
