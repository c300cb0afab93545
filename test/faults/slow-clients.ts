import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { requestText } from '../support/wire.ts';
import type { Load, Offer } from './load.ts';

/** Clients of each kind at a time. */
const DRIPPING = 12;
const NOT_READING = 12;
/** Pieces that a body comes in. */
const PIECES = 8;
/** Answers asked for by a client that reads none: more than fit the buffers between. */
const ASKED = 200;
/** How much longer than its sending an answer may take, in milliseconds. */
const ANSWER_WITHIN_MS = 8_000;

/**
 * Clients that take all the time there is: some send signed snapshots byte by byte, others ask for answers that they never
 * read. Snapshots that were answered count as acknowledged.
 */
export async function beSlow(baseUrl: string, load: Load, forMs: number): Promise<void> {
  const { port, pathname } = new URL(baseUrl);
  const unread = Array.from({ length: NOT_READING }, () => askWithoutReading(Number(port), pathname));
  const dripped = Array.from({ length: DRIPPING }, () => drip(Number(port), pathname, load.makeOffer(), forMs));
  await Promise.all([...dripped, pause(forMs)]);
  for (const socket of unread) socket.destroy();
}

function askWithoutReading(port: number, base: string): Socket {
  const socket = openTo(port);
  socket.pause();
  const request = requestText('GET', `${base}/leaderboard?limit=100`, ['Host', `localhost:${port}`]);
  socket.on('connect', () => socket.write(request.repeat(ASKED)));
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
  const patience = new AbortController();
  await Promise.race([closed, pause(ANSWER_WITHIN_MS, undefined, { signal: patience.signal }).catch(() => undefined)]);
  patience.abort();
  socket.destroy();
  const answer = Buffer.concat(received).toString('utf8');
  const [, json] = /^HTTP\/1\.1 200 [^]*?\r\n\r\n([^]*)$/.exec(answer) ?? [];
  if (json !== undefined && isWhole(json)) offer.acknowledge(JSON.parse(json));
}

/** An answer that a fault cut short acknowledges nothing. */
function isWhole(json: string): boolean {
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
