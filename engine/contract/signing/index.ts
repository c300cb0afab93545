/** The signed layout: everything a tool needs to build and sign a snapshot, with no dependency. */
export { COUNT_FIELDS, type Counts, MAX_COUNT } from './counts.ts';
export { type DetachedJws, parseDetachedJws, signingInput } from './detached-jws.ts';
export { DEVICE_PROOF_TYP, SIGNATURE_ALG, SNAPSHOT_TYP, type SnapshotHeader } from './headers.ts';
export { CODENAME_PATTERN, codenameKey, PLATFORM_PATTERN, UNSPECIFIED_PLATFORM } from './names.ts';
export { canonicalPayload, type SignedPayload } from './snapshot-payload.ts';
