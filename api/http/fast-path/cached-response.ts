import { addStandardHeaders } from '../execute-route.ts';
import { finishResult } from '../finish-result.ts';
import type { RateDecision } from '../rate-limit/rate-limiter.ts';
import { bytesOf, type ContentCoding, entityTag } from '../representation.ts';
import type { ReadyResult, Route } from '../route.ts';
import { type FlatHeaders, flatten, makeReadyHead, type ReadyHead } from './ready-head.ts';

/**
 * Bytes of the largest body that is sent as text. Text of one byte a character is put behind the head, and Node writes both at
 * once, by way of a buffer of this size; what is larger goes as bytes, as a second piece.
 */
export const MAX_TEXT_BYTES = 16 * 1024;

/** A kept answer in one encoding, ready to be sent. */
export interface CachedResponse {
  readonly tag: string;
  /** The body: short ones as text, each byte a character (latin1), whatever the bytes mean. */
  readonly body: Buffer | string;
  readonly head: ReadyHead;
  readonly notModified: FlatHeaders;
}

/** Finishes a route's answer in one encoding, through the code that finishes all of the route's answers. */
export function makeCachedResponse(
  route: Route<never>,
  answer: ReadyResult,
  coding: ContentCoding,
  rate: RateDecision,
): CachedResponse {
  const flat = (ifNoneMatch: string | undefined): FlatHeaders => {
    const asked: Readonly<Record<string, string | undefined>> = {
      'accept-encoding': coding,
      'if-none-match': ifNoneMatch,
    };
    const { headers } = finishResult(route, answer, { method: 'GET', header: (name) => asked[name] });
    addStandardHeaders(headers, route, rate);
    return flatten(headers);
  };
  const { body } = answer;
  const bytes = bytesOf(body, coding);
  return {
    tag: entityTag(body, coding),
    body: bytes.length <= MAX_TEXT_BYTES ? bytes.toString('latin1') : bytes,
    head: makeReadyHead(200, flat(undefined)),
    notModified: flat('*'),
  };
}
