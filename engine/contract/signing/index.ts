/** The signed layout: everything that a tool needs to build and sign a snapshot, without dependencies. */

export type { Counts, SignedPayload } from '../snapshot.ts';
export { type DetachedJws, parseDetachedJws, signingInput } from './detached-jws.ts';
export * from './format.ts';
export { isAcceptablePublicKey } from './is-acceptable-public-key.ts';
export { type HeaderRefusal, parseSnapshotHeader } from './parse-snapshot-header.ts';
export { isPublishedKey } from './published-keys.ts';
export { canonicalPayload } from './snapshot-payload.ts';
