import { addStandardHeaders } from '../execute-route.ts';
import { finishAnswer } from '../finish-answer.ts';
import { rateLimitField } from '../rate-limit/rate-headers.ts';
import type { RateDecision } from '../rate-limit/rate-limiter.ts';
import { bytesOf, type ContentCoding, entityTag } from '../representation.ts';
import type { ReadyAnswer, Route } from '../route.ts';

/** The headers of one status, flat as `writeHead` takes them: names and values in turns. */
export interface FlatHeaders {
  readonly list: string[];
  /** Where the values are that tell a client how much of its quota is left. */
  readonly rateLimitAt: number;
  readonly remainingAt: number;
  readonly resetAt: number;
}

/** A kept answer in one encoding, ready to be sent. */
export interface LaneAnswer {
  readonly tag: string;
  readonly bytes: Buffer;
  readonly ok: FlatHeaders;
  readonly notModified: FlatHeaders;
}

/** Finishes a route's answer in one encoding, through the code that finishes all of the route's answers. */
export function makeLaneAnswer<S>(
  route: Route<S>,
  answer: ReadyAnswer,
  coding: ContentCoding,
  rate: RateDecision,
): LaneAnswer {
  const flat = (ifNoneMatch: string | undefined): FlatHeaders => {
    const asked: Readonly<Record<string, string | undefined>> = {
      'accept-encoding': coding,
      'if-none-match': ifNoneMatch,
    };
    const { headers } = finishAnswer(route, answer, { method: 'GET', header: (name) => asked[name] });
    addStandardHeaders(headers, route, rate);
    return flatten(headers);
  };
  const { body } = answer;
  return { tag: entityTag(body, coding), bytes: bytesOf(body, coding), ok: flat(undefined), notModified: flat('*') };
}

/** Writes where a client stands into headers that are about to be sent: the rest of the quota's headers never change. */
export function writeRate({ list, rateLimitAt, remainingAt, resetAt }: FlatHeaders, rate: RateDecision): void {
  const remaining = String(rate.remaining);
  const reset = String(rate.resetSeconds);
  list[rateLimitAt] = rateLimitField(rate.policy, remaining, reset);
  list[remainingAt] = remaining;
  list[resetAt] = reset;
}

function flatten(headers: Readonly<Record<string, string>>): FlatHeaders {
  const names = Object.keys(headers);
  const valueAt = (name: string): number => names.indexOf(name) * 2 + 1;
  return {
    list: Object.entries(headers).flat(),
    rateLimitAt: valueAt('RateLimit'),
    remainingAt: valueAt('RateLimit-Remaining'),
    resetAt: valueAt('RateLimit-Reset'),
  };
}
