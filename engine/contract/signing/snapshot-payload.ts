import type { Counts } from './counts.ts';

/** What a snapshot's signature covers, as it was sent: an absent platform stays absent. */
export interface SignedPayload extends Counts {
  readonly codename: string;
  readonly platform?: string | undefined;
}

/**
 * The RFC 8785 canonical JSON of the signed members, in UTF-16 order of their names.
 *
 * JSON.stringify writes numbers and strings as RFC 8785 asks (ECMAScript number form, shortest escapes) for every finite
 * number and every well-formed string; callers have checked both.
 */
export function canonicalPayload(payload: SignedPayload): string {
  const platform = payload.platform === undefined ? '' : `,"platform":${JSON.stringify(payload.platform)}`;
  return (
    `{"cache_read":${JSON.stringify(payload.cache_read)},"cache_write":${JSON.stringify(payload.cache_write)}` +
    `,"codename":${JSON.stringify(payload.codename)},"input":${JSON.stringify(payload.input)}` +
    `,"output":${JSON.stringify(payload.output)}${platform}}`
  );
}
