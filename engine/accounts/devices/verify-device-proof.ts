import { compactVerify, errors } from 'jose';
import * as z from 'zod';
import { MS_PER_SECOND } from '../../../config/units.ts';
import {
  codenameKey,
  DEVICE_PROOF_TYP,
  FORBIDDEN_HEADER_MEMBERS,
  MAX_CLOCK_SKEW_MS,
  SIGNATURE_ALG,
} from '../../contract/signing/index.ts';
import type { EnrolledKey } from './read-public-key.ts';

/** Why the proof does not show that the operator's device has the key; null when it does. `now` in milliseconds. */
export async function verifyDeviceProof(
  proof: string,
  key: EnrolledKey,
  { codename, now }: { readonly codename: string; readonly now: number },
): Promise<string | null> {
  const verified = await compactVerify(proof, key.jwk, { algorithms: [SIGNATURE_ALG] }).catch((error: unknown) => {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  });
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

const CLAIMS = z.object({ codename: z.string(), iat: z.int() });

function readClaims(payload: Uint8Array): z.infer<typeof CLAIMS> | null {
  try {
    return CLAIMS.parse(JSON.parse(new TextDecoder().decode(payload)));
  } catch {
    return null;
  }
}
