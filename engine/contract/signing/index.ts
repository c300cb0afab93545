/** The signed layout: everything that a tool needs to build and sign a snapshot, without dependencies. */
export { COUNT_FIELDS, type Counts, MAX_COUNT } from './counts.ts';
export { type DetachedJws, parseDetachedJws, signingInput } from './detached-jws.ts';
export {
  DEVICE_PROOF_TYP,
  FORBIDDEN_HEADER_MEMBERS,
  SIGNATURE_ALG,
  SNAPSHOT_TYP,
  type SnapshotHeader,
} from './headers.ts';
export { isAcceptablePublicKey } from './is-acceptable-public-key.ts';
export { MAX_CLI_LENGTH, MAX_CLOCK_SKEW_MS, MAX_EPOCH, MAX_SNAPSHOT_AGE_MS } from './limits.ts';
export { CODENAME_PATTERN, codenameKey, PLATFORM_PATTERN, UNSPECIFIED_PLATFORM } from './names.ts';
export { type HeaderRefusal, parseSnapshotHeader } from './parse-snapshot-header.ts';
export { isPublishedKey } from './published-keys.ts';
export { canonicalPayload, type SignedPayload } from './snapshot-payload.ts';
