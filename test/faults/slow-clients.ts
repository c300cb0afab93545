import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { requestText } from '../support/wire.ts';
import type { Load, Offer } from './load.ts';

/** Concurrent clients of each kind. */
const DRIPPING = 12;
const NOT_READING = 12;
/** Number of pieces of a body. */
const PIECES = 8;
/** Requests of a client that reads no response: more responses than the buffers hold. */
const UNREAD_REQUESTS = 200;
/** Limit for the response after the last piece. */
const RESPONSE_WITHIN_MS = 8_000;

/**
 * Runs slow clients: some send signed snapshots piece by piece, others send requests and never read the responses. Snapshots
 * with a response count as acknowledged.
 */
export async function beSlow(baseUrl: string, load: Load, forMs: number): Promise<void> {
  const { port, pathname } = new URL(baseUrl);
  const unread = Array.from({ length: NOT_READING }, () => requestWithoutReading(Number(port), pathname));
  const dripped = Array.from({ length: DRIPPING }, () => drip(Number(port), pathname, load.makeOffer(), forMs));
  await Promise.all([...dripped, pause(forMs)]);
  for (const socket of unread) socket.destroy();
}

function requestWithoutReading(port: number, base: string): Socket {
  const socket = openTo(port);
  socket.pause();
  const request = requestText('GET', `${base}/leaderboard?limit=100`, ['Host', `localhost:${port}`]);
  socket.on('connect', () => socket.write(request.repeat(UNREAD_REQUESTS)));
  return socket;
}

async function drip(port: number, base: string, offer: Offer, forMs: number): Promise<void> {
  const body = JSON.stringify(offer.body);
  const headers = ['Host', `localhost:${port}`, 'Connection', 'close', 'Content-Type', 'application/json'];
  const sized = [...headers, 'Authorization', `Bearer ${offer.sender.token}`, 'Content-Length', String(body.length)];
  const socket = openTo(port);
  const received: Buffer[] = [];
  socket.on('data', (bytes) => received.push(bytes));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(requestText('POST', `${base}/snapshots`, sized));
  const piece = Math.ceil(body.length / PIECES);
  for (let at = 0; at < body.length && !socket.destroyed; at += piece) {
    await pause(forMs / PIECES);
    socket.write(body.slice(at, at + piece));
  }
  const timeout = new AbortController();
  await Promise.race([closed, pause(RESPONSE_WITHIN_MS, undefined, { signal: timeout.signal }).catch(() => undefined)]);
  timeout.abort();
  socket.destroy();
  const response = Buffer.concat(received).toString('utf8');
  const [, json] = /^HTTP\/1\.1 200 [^]*?\r\n\r\n([^]*)$/.exec(response) ?? [];
  if (json !== undefined && isComplete(json)) offer.acknowledge(JSON.parse(json));
}

/** A truncated response acknowledges nothing. */
function isComplete(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

function openTo(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1' });
  // The api may be killed meanwhile.
  socket.on('error', () => socket.destroy());
  return socket;
}
