import { type ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http';
import type { RateDecision } from '../rate-limit/rate-limiter.ts';

/** The headers of one status, flat as `writeHead` takes them: names and values in turns. */
export interface FlatHeaders {
  readonly list: string[];
  /** Where the values are that report the rest of the quota, in this order. */
  readonly rateLimitAt: number;
  readonly remainingAt: number;
  readonly resetAt: number;
}

export function flatten(headers: Readonly<Record<string, string>>): FlatHeaders {
  const names = Object.keys(headers);
  const valueAt = (name: string): number => names.indexOf(name) * 2 + 1;
  return {
    list: Object.entries(headers).flat(),
    rateLimitAt: valueAt('RateLimit'),
    remainingAt: valueAt('RateLimit-Remaining'),
    resetAt: valueAt('RateLimit-Reset'),
  };
}

/** Writes a client's quota into headers that are about to be sent; the other headers of the quota never change. */
export function writeRate({ list, rateLimitAt, remainingAt, resetAt }: FlatHeaders, rate: RateDecision): void {
  const remaining = String(rate.remaining);
  const reset = String(rate.resetSeconds);
  list[rateLimitAt] = rate.field;
  list[remainingAt] = remaining;
  list[resetAt] = reset;
}

/** The head of a kept answer as text, cut where a client's quota is reported. */
export interface ReadyHead {
  readonly status: number;
  readonly flat: FlatHeaders;
  readonly untilRateLimit: string;
  readonly untilRemaining: string;
  readonly untilReset: string;
  readonly rest: string;
  /** Content-Length goes to Node by its name, so that it knows how the body is framed. */
  readonly length: readonly [name: string, value: string];
}

/** What Node makes every head by: a beginning that is sent as it is, and headers that it checks and adds. */
interface HeadStore {
  _storeHeader(beginning: string, headers: readonly string[]): void;
}

const LENGTH = 'Content-Length';

/** Checks and joins headers once, as Node would with every answer. Throws for one that cannot be sent. */
export function makeReadyHead(status: number, flat: FlatHeaders): ReadyHead {
  const { list, rateLimitAt, remainingAt, resetAt } = flat;
  for (let at = 0; at < list.length; at += 2) {
    validateHeaderName(list[at]!);
    validateHeaderValue(list[at]!, list[at + 1]!);
  }
  const lengthAt = list.indexOf(LENGTH);
  if (Math.min(lengthAt, rateLimitAt, remainingAt, resetAt) < 0) throw new Error('a kept answer lacks a header');
  /** The text of names and values in these places: a name with its colon, a value with the end of its line. */
  const lines = (from: number, until: number): string => {
    const pieces: string[] = [];
    for (let at = from; at < until; at++) {
      if (at === lengthAt || at === lengthAt + 1) continue;
      pieces.push(at % 2 === 0 ? `${list[at]}: ` : `${list[at]}\r\n`);
    }
    return pieces.join('');
  };
  return {
    status,
    flat,
    untilRateLimit: `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines(0, rateLimitAt)}`,
    untilRemaining: `\r\n${lines(rateLimitAt + 1, remainingAt)}`,
    untilReset: `\r\n${lines(remainingAt + 1, resetAt)}`,
    rest: `\r\n${lines(resetAt + 1, list.length)}`,
    length: [LENGTH, list[lengthAt + 1] ?? '0'],
  };
}

/**
 * Gives a response its head. Where this Node has a way, not by `writeHead(status, headers)`, which takes a fifth of a short answer's
 * time for checking what was checked before. Date, Connection and Keep-Alive are Node's own as ever.
 */
export function writeReadyHead(response: ServerResponse, head: ReadyHead, rate: RateDecision): void {
  const { status, flat, untilRateLimit, untilRemaining, untilReset, rest, length } = head;
  if (!storesHeads(response)) {
    writeRate(flat, rate);
    response.writeHead(status, flat.list);
    return;
  }
  const remaining = String(rate.remaining);
  const reset = String(rate.resetSeconds);
  const { field } = rate;
  response.statusCode = status;
  response._storeHeader(untilRateLimit + field + untilRemaining + remaining + untilReset + reset + rest, length);
}

/** Headers that Node has to read, for example to know how a body is framed and whether a connection stays open. */
const READ_BY_NODE = /^(connection|content-length|date|expect|keep-alive|trailer|transfer-encoding)$/i;

/**
 * Creates a function that gives responses with a body their heads as `writeHead(status, headers)` does, for statuses that have a
 * reason phrase and responses to which no header was added before. It checks a header only when its value is not that of the last
 * response: most are the same in each.
 */
export function createHeadWriter() {
  const lastLines = new Map<string, { readonly value: string; readonly line: string }>();

  /** The line of a header; empty when Node has to read it. */
  function lineOf(name: string, value: string): string {
    const last = lastLines.get(name);
    if (last?.value === value) return last.line;
    validateHeaderName(name);
    validateHeaderValue(name, value);
    const line = READ_BY_NODE.test(name) ? '' : `${name}: ${value}\r\n`;
    lastLines.set(name, { value, line });
    return line;
  }

  return (response: ServerResponse, status: number, headers: Readonly<Record<string, string>>): void => {
    if (!storesHeads(response)) {
      response.writeHead(status, headers);
      return;
    }
    let beginning = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    const others: string[] = [];
    // `Object.entries` would create an array for each header.
    for (const name of Object.keys(headers)) {
      const value = headers[name]!;
      const line = lineOf(name, value);
      if (line === '') others.push(name, value);
      else beginning += line;
    }
    response.statusCode = status;
    response._storeHeader(beginning, others);
  };
}

/**
 * Ends a response with a body, text of one byte a character, in one piece with its head, which was written but not sent.
 * `end(body)` writes a second, empty piece to the socket, by a call that takes a fifth more CPU time for a short answer. Only for
 * responses with Content-Length that may have a body: unlike `end(body)`, this leaves out none, and makes no chunks.
 */
export function endInOnePiece(response: ServerResponse, body: string): void {
  if ('_header' in response && typeof response._header === 'string') {
    response._header += body;
    response.end();
  } else response.end(body, 'latin1');
}

function storesHeads(response: ServerResponse): response is ServerResponse & HeadStore {
  return '_storeHeader' in response;
}
