import type { mongo } from 'mongoose';
import { COUNT_FIELDS } from '../../contract/signing/index.ts';
import { WINDOWS } from '../../contract/windows.ts';
import {
  isSameNumbers,
  type OlderDays,
  type OperatorState,
  PLATFORM_NUMBERS,
  type Provenance,
  type Stream,
  TOTALS_NUMBERS,
} from '../core/operator-state/index.ts';
import type { OffBoards } from '../types.ts';
import { bytesOf, doublesOf, toBinary } from './binary.ts';

/** An operator's record: names, and everything the board is computed from. `_id` is the operator number. */
export interface OperatorDocument {
  _id: number;
  /** Absent once erased. */
  codename?: string;
  display_name: string | null;
  /** False excludes the operator from every board; its usage is kept. True while `off_boards` has no reason against it. */
  listed: boolean;
  /** Absent: none. */
  off_boards?: OffBoards[];
  /** Whether others may read its log; absent: not. */
  open?: boolean;
  /** When the row was last hidden or shown again; absent: never. */
  hiding_at?: Date;
  /** Times of the last renames, oldest first. */
  renamed_at?: Date[];
  /** Changes with every write; writes are conditional on the revision that was read. */
  revision: string;
  hour: number;
  /** Float64s: the numbers of each window (`WINDOW_NUMBERS`). */
  totals: mongo.Binary;
  /** Float64s: the totals of each platform, as in `WindowSummary`. Empty where all streams are of one. */
  platform_totals: mongo.Binary;
  /** Witnessed days: of those that receipts keep, and ever. */
  witnessed: [recent: number, ever: number];
  /** JSON: the witnessed days before them. Empty without. */
  older: string;
  /** Mask of the rules that the record asserts; absent: none. */
  findings?: number;
  /** Float64s: what moderators accepted, as in `Assertions`; absent: nothing. */
  waived?: mongo.Binary;
  /** The platform of each window, separated by commas; empty where there are no tokens. */
  platforms: string;
  next_due: number | null;
  /** All streams with their samples, packed. */
  streams: mongo.Binary;
  /** JSON: of each stream with a provenance its ledger, platform and provenance. Empty without. */
  provenance: string;
  created_at: Date;
  /** Time of the last change that no job repeats: of all changes but the application of a batch. */
  amended_at: Date;
  erased_at?: Date;
}

export type StoredState = Pick<
  OperatorDocument,
  'hour' | 'totals' | 'platform_totals' | 'witnessed' | 'older' | 'platforms' | 'next_due' | 'streams' | 'provenance'
>;

/** The provenance of a stream. */
export type StreamProvenance = Pick<Stream, 'ledger' | 'platform'> & { readonly provenance: Provenance };

const FIELDS = COUNT_FIELDS.length;

/** Separates the windows' platforms. No platform name contains it. */
const SEPARATOR = ',';

/** Encodes an operator state into fields of the operator's document. */
export function encodeState(operatorState: OperatorState): StoredState {
  return {
    totals: toBinary(operatorState.totals),
    platform_totals: toBinary(operatorState.platformTotals),
    ...encodePlain(operatorState),
    witnessed: [operatorState.witnessed.recent, operatorState.witnessed.ever],
    streams: toBinary(encodeStreams(operatorState.streams)),
  };
}

/** Packed fields, which are written always. */
const ALWAYS_WRITTEN = ['totals', 'streams'] as const;
const PLAIN = ['hour', 'platforms', 'next_due', 'provenance', 'older'] as const;

/**
 * The fields to write so that each record holds its next state: a plain one when one of the records changes it, since a list per
 * field has a value for each. `held` is null where the stored state is not known.
 */
export function fieldsToWrite(
  changes: readonly { held: OperatorState | null; next: StoredState }[],
): readonly (keyof StoredState)[] {
  const former = changes.map(({ held }) => held && encodePlain(held));
  return [
    ...ALWAYS_WRITTEN,
    ...PLAIN.filter((field) => changes.some(({ next }, at) => former[at]?.[field] !== next[field])),
    ...(changes.every(({ held, next: { witnessed } }) => isWitnessed(held, witnessed)) ? [] : ['witnessed' as const]),
    ...(changes.every(({ held, next }) => isSplit(held, next)) ? [] : ['platform_totals' as const]),
  ];
}

function isWitnessed(held: OperatorState | null, [recent, ever]: StoredState['witnessed']): boolean {
  return held?.witnessed.recent === recent && held.witnessed.ever === ever;
}

function isSplit(held: OperatorState | null, next: StoredState): boolean {
  return held !== null && isSameNumbers(held.platformTotals, doublesOf(next.platform_totals));
}

/**
 * The fields that encode to what is stored when they are decoded. A release that encodes one of them otherwise has to rewrite the
 * records, each with a new revision.
 */
function encodePlain({ hour, platforms, nextDue, streams, older }: OperatorState) {
  return {
    hour,
    platforms: platforms.map((platform) => platform ?? '').join(SEPARATOR),
    next_due: nextDue,
    provenance: encodeProvenance(streams),
    older: older.length === 0 ? '' : JSON.stringify(older),
  };
}

/** Decodes the operator state of a document; throws when its bytes are damaged. */
export function decodeState(stored: StoredState): OperatorState {
  return {
    hour: stored.hour,
    totals: decodeTotals(stored),
    platformTotals: decodePlatformTotals(stored),
    platforms: decodePlatforms(stored.platforms),
    witnessed: decodeWitnessed(stored),
    older: decodeOlder(stored.older),
    nextDue: stored.next_due,
    streams: withProvenance(decodeStreams(bytesOf(stored.streams)), decodeProvenance(stored.provenance)),
  };
}

function encodeProvenance(streams: readonly Stream[]): string {
  const stated = streams.flatMap(({ ledger, platform, provenance }): StreamProvenance[] =>
    provenance === null ? [] : [{ ledger, platform, provenance }],
  );
  return stated.length === 0 ? '' : JSON.stringify(stated);
}

function withProvenance(streams: Stream[], stated: readonly StreamProvenance[]): readonly Stream[] {
  if (stated.length === 0) return streams;
  const known = new Map(stated.map(({ ledger, platform, provenance }) => [`${ledger} ${platform}`, provenance]));
  return streams.map((stream) => ({ ...stream, provenance: known.get(`${stream.ledger} ${stream.platform}`) ?? null }));
}

/** The provenance of each stream that has one. */
export function decodeProvenance(stored: OperatorDocument['provenance']): readonly StreamProvenance[] {
  return stored === '' ? [] : JSON.parse(stored);
}

/** The numbers of each window. Throws for those of other windows than this release has. */
export function decodeTotals({ totals }: Pick<OperatorDocument, 'totals'>): Float64Array {
  const numbers = doublesOf(totals);
  if (numbers.length === TOTALS_NUMBERS) return numbers;
  throw new Error(`an operator's ${numbers.length} totals are not those of the windows ${WINDOWS.join(', ')}`);
}

/** As in `WindowSummary`. Throws for those of other windows than this release has. */
export function decodePlatformTotals({ platform_totals }: Pick<OperatorDocument, 'platform_totals'>): Float64Array {
  const numbers = doublesOf(platform_totals);
  if (numbers.length % PLATFORM_NUMBERS === 0) return numbers;
  throw new Error(
    `${numbers.length} totals of an operator's platforms are not those of the windows ${WINDOWS.join(', ')}`,
  );
}

export function decodeWitnessed({ witnessed: [recent, ever] }: Pick<OperatorDocument, 'witnessed'>) {
  return { recent, ever };
}

/** The witnessed days before those that receipts keep. */
export function decodeOlder(stored: OperatorDocument['older']): readonly OlderDays[] {
  return stored === '' ? [] : JSON.parse(stored);
}

/** The platform of each window; null without tokens. */
export function decodePlatforms(stored: string): (string | null)[] {
  return stored.split(SEPARATOR).map((platform) => (platform === '' ? null : platform));
}

// An operator's streams are one binary value, because the database is far slower with nested documents. Each stream is a
// header (epoch, byte lengths of the two names, numbers of steps of its series and of its receipts), the names, the steps' hours and
// counts, and the receipts' keys, epochs and counts, little-endian.

const HEADER_BYTES = 8;
const LEDGER_BYTES_AT = 2;
const PLATFORM_BYTES_AT = 3;
const STEPS_AT = 4;
const RECEIPTS_AT = 6;
const COUNTS_BYTES = 4 * 8;
const STEP_BYTES = 4 + COUNTS_BYTES;
const RECEIPT_BYTES = 4 + 2 + COUNTS_BYTES;

/** Packs streams in order, without provenance. Throws a RangeError for a name of more than 255 bytes. */
export function encodeStreams(streams: readonly Stream[]): Uint8Array {
  const bytes = Buffer.allocUnsafe(streams.reduce((sum, stream) => sum + streamBytes(stream), 0));
  let at = 0;
  for (const { ledger, platform, epoch, series, receipts } of streams) {
    const ledgerBytes = bytes.write(ledger, at + HEADER_BYTES);
    const platformBytes = bytes.write(platform, at + HEADER_BYTES + ledgerBytes);
    bytes.writeUInt16LE(epoch, at);
    bytes.writeUInt8(ledgerBytes, at + LEDGER_BYTES_AT);
    bytes.writeUInt8(platformBytes, at + PLATFORM_BYTES_AT);
    bytes.writeUInt16LE(series.hours.length, at + STEPS_AT);
    bytes.writeUInt16LE(receipts.keys.length, at + RECEIPTS_AT);
    at += HEADER_BYTES + ledgerBytes + platformBytes;
    for (const part of [series.hours, series.counts, receipts.keys, receipts.epochs, receipts.counts]) {
      bytes.set(bytesUnder(part), at);
      at += part.byteLength;
    }
  }
  return bytes;
}

/** Unpacks streams in order. Throws when the bytes do not end with a complete stream. */
export function decodeStreams(packed: Uint8Array): Stream[] {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const streams: Stream[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (at + HEADER_BYTES > bytes.length) throw damaged(bytes);
    const ledgerEnd = at + HEADER_BYTES + bytes.readUInt8(at + LEDGER_BYTES_AT);
    const platformEnd = ledgerEnd + bytes.readUInt8(at + PLATFORM_BYTES_AT);
    const steps = bytes.readUInt16LE(at + STEPS_AT);
    const received = bytes.readUInt16LE(at + RECEIPTS_AT);
    const end = platformEnd + steps * STEP_BYTES + received * RECEIPT_BYTES;
    if (end > bytes.length) throw damaged(bytes);
    const series = { hours: new Uint32Array(steps), counts: new Float64Array(steps * FIELDS) };
    const receipts = {
      keys: new Uint32Array(received),
      epochs: new Uint16Array(received),
      counts: new Float64Array(received * FIELDS),
    };
    let from = platformEnd;
    // Copies, because the database's reply is not aligned.
    for (const part of [series.hours, series.counts, receipts.keys, receipts.epochs, receipts.counts]) {
      bytes.copy(bytesUnder(part), 0, from, from + part.byteLength);
      from += part.byteLength;
    }
    streams.push({
      ledger: bytes.toString('utf8', at + HEADER_BYTES, ledgerEnd),
      platform: bytes.toString('utf8', ledgerEnd, platformEnd),
      epoch: bytes.readUInt16LE(at),
      series,
      provenance: null,
      receipts,
    });
    at = end;
  }
  return streams;
}

function streamBytes({ ledger, platform, series: { hours }, receipts: { keys } }: Stream): number {
  const names = Buffer.byteLength(ledger) + Buffer.byteLength(platform);
  return HEADER_BYTES + names + hours.length * STEP_BYTES + keys.length * RECEIPT_BYTES;
}

function bytesUnder(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function damaged({ length }: Uint8Array): Error {
  return new Error(`${length} bytes of streams are damaged`);
}
