import type { SignedPayload } from '../snapshot.ts';

/**
 * The RFC 8785 canonical JSON of the signed members, ordered by the UTF-16 code units of their names.
 *
 * JSON.stringify serialises every finite number and every well-formed string as RFC 8785 requires (ECMAScript number form,
 * shortest escapes); callers have checked both.
 */
export function canonicalPayload(payload: SignedPayload): string {
  const platform = payload.platform === undefined ? '' : `,"platform":${JSON.stringify(payload.platform)}`;
  return (
    `{"cache_read":${JSON.stringify(payload.cache_read)},"cache_write":${JSON.stringify(payload.cache_write)}` +
    `,"codename":${JSON.stringify(payload.codename)},"input":${JSON.stringify(payload.input)}` +
    `,"output":${JSON.stringify(payload.output)}${platform}}`
  );
}
