import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { Representation } from '../../http/representation.ts';

/** Pixels; the size that Open Graph previews recommend. */
const WIDTH = 1200;
const HEIGHT = 630;

/** Colours by index: the background and the two strokes. */
const PALETTE = Buffer.from([0x12, 0x16, 0x1a, 0x79, 0xc9, 0xdc, 0xf2, 0xa6, 0x68]);

const STROKE = 17;
const MIDDLE = WIDTH / 2;

/** Discs that make up one stroke. */
const STEPS = 900;

let made: Representation | null = null;

/** The site icon as a PNG, because link previews do not support SVG. Drawn once, on first use. */
export function previewImage(): Representation {
  made ??= draw();
  return made;
}

function draw(): Representation {
  const rows = Buffer.alloc((WIDTH + 1) * HEIGHT);
  for (const [side, colour] of [
    [-1, 1],
    [1, 2],
  ] as const) {
    for (let step = 0; step <= STEPS; step += 1) disc(rows, ...stream(step / STEPS, side), colour);
  }
  const identity = Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header()),
    chunk('PLTE', PALETTE),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  const tag = createHash('sha256').update(identity).digest('base64url').slice(0, 22);
  return { mediaType: 'image/png', identity, gzip: null, br: null, tag };
}

/** A point on a stroke: it starts at the side, turns, and runs down next to the other one. */
function stream(t: number, side: -1 | 1): [x: number, y: number] {
  const away = 210 * (1 - t) ** 3 + 3 * 95 * (1 - t) ** 2 * t;
  const joined = STROKE * 0.55;
  return [MIDDLE + side * Math.max(away, joined), 130 + 370 * t ** 1.35];
}

function disc(rows: Buffer, x: number, y: number, colour: number): void {
  for (let row = Math.ceil(y - STROKE); row <= y + STROKE; row += 1) {
    const half = Math.sqrt(Math.max(0, STROKE ** 2 - (row - y) ** 2));
    const start = row * (WIDTH + 1) + 1;
    rows.fill(colour, start + Math.round(x - half), start + Math.round(x + half));
  }
}

/** CRC-32 of PNG, without a table: it runs once over few bytes. */
function crc32(bytes: Buffer): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  }
  return (crc ^ 0xffff_ffff) >>> 0;
}

/** 8 bits a pixel, by palette. */
function header(): Buffer {
  const bytes = Buffer.alloc(13);
  bytes.writeUInt32BE(WIDTH, 0);
  bytes.writeUInt32BE(HEIGHT, 4);
  bytes.set([8, 3, 0, 0, 0], 8);
  return bytes;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8 + body.length);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), 4 + body.length);
  return frame;
}
