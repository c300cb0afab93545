import { addStandardHeaders } from '../execute-route.ts';
import { finishAnswer } from '../finish-answer.ts';
import type { RateDecision } from '../rate-limit/rate-limiter.ts';
import { bytesOf, type ContentCoding, entityTag } from '../representation.ts';
import type { ReadyAnswer, Route } from '../route.ts';

/** The headers of one status, flat as `writeHead` takes them: names and values in turns. */
interface FlatHeaders {
  readonly list: string[];
  /** Where the values are that tell a client how much of its quota is left, with the names of these headers. */
  readonly rateSlots: readonly (readonly [index: number, name: string])[];
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
    const names = Object.keys(headers);
    const rateSlots = Object.keys(rate.headers).map((name) => [names.indexOf(name) * 2 + 1, name] as const);
    return { list: Object.entries(headers).flat(), rateSlots };
  };
  const { body } = answer;
  return { tag: entityTag(body, coding), bytes: bytesOf(body, coding), ok: flat(undefined), notModified: flat('*') };
}

/** Writes where a client stands into headers that are about to be sent. */
export function writeRate({ list, rateSlots }: FlatHeaders, { headers }: RateDecision): void {
  for (const [index, name] of rateSlots) list[index] = headers[name] ?? '';
}
