import type { mongo } from 'mongoose';
import { COUNT_FIELDS } from '../../contract/signing/index.ts';
import { WINDOWS } from '../../contract/windows.ts';
import { joinTotals, splitTotals, WINDOW_NUMBERS } from '../../integrity/index.ts';
import { type CounterSeries, type OperatorState, type Provenance, type Stream } from '../core/operator-state/index.ts';
import { bytesOf, doublesOf, toBinary } from './binary.ts';

/** An operator's record: names, and everything the board is computed from. `_id` is the operator number. */
export interface OperatorDocument {
  _id: number;
  /** Absent once erased. */
  codename?: string;
  display_name: string | null;
  /** False excludes the operator from every board; its usage is kept. */
  listed: boolean;
  /** While the operator is suspended: the value of `listed` once that ends. */
  relisted?: boolean;
  /** Times of the last renames, oldest first. */
  renamed_at?: Date[];
  /** Changes with every write; writes are conditional on the revision that was read. */
  revision: string;
  hour: number;
  /** Float64s: the four counts of each window. A re-rank without rules reads them alone. */
  totals: mongo.Binary;
  /** Float32s: the statistics of each window. */
  statistics: mongo.Binary;
  /** Masks of the rules that the record asserts, and of those that a review waived; absent: none. */
  findings?: number;
  cleared?: number;
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
  'hour' | 'totals' | 'statistics' | 'platforms' | 'next_due' | 'streams' | 'provenance'
>;

/** The provenance of a stream. */
export type StreamProvenance = Pick<Stream, 'ledger' | 'platform'> & { readonly provenance: Provenance };

/** Separates the windows' platforms. No platform name contains it. */
const SEPARATOR = ',';

/** Encodes an operator state into fields of the operator's document. */
export function encodeState(operatorState: OperatorState): StoredState {
  return {
    ...encodeTotals(operatorState.totals),
    ...encodePlain(operatorState),
    streams: toBinary(encodeStreams(operatorState.streams)),
  };
}

/** Packed fields, which are written always. */
const ALWAYS_WRITTEN = ['totals', 'statistics', 'streams'] as const;
const PLAIN = ['hour', 'platforms', 'next_due', 'provenance'] as const;

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
  ];
}

/**
 * The fields that encode to what is stored when they are decoded. A release that encodes one of them otherwise has to rewrite the
 * records, each with a new revision.
 */
function encodePlain({ hour, platforms, nextDue, streams }: OperatorState) {
  return {
    hour,
    platforms: platforms.map((platform) => platform ?? '').join(SEPARATOR),
    next_due: nextDue,
    provenance: encodeProvenance(streams),
  };
}

/** Decodes the operator state of a document; throws when its bytes are damaged. */
export function decodeState(stored: StoredState): OperatorState {
  return {
    hour: stored.hour,
    totals: decodeTotals(stored),
    platforms: decodePlatforms(stored.platforms),
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

/** Encodes the totals of each window with their statistics. */
export function encodeTotals(totals: Float64Array) {
  const { counts, statistics } = splitTotals(totals);
  return { totals: toBinary(counts), statistics: toBinary(statistics) };
}

/** The totals of each window with their statistics. Throws for those of other windows than this release has. */
export function decodeTotals({ totals, statistics }: Pick<OperatorDocument, 'totals' | 'statistics'>): Float64Array {
  const parts = { counts: doublesOf(totals), statistics: doublesOf(statistics) };
  const isComplete =
    parts.counts.length === WINDOWS.length * COUNT_FIELDS.length &&
    parts.statistics.length === WINDOWS.length * (WINDOW_NUMBERS - COUNT_FIELDS.length);
  if (isComplete) return joinTotals(parts);
  throw new Error(`an operator's ${parts.counts.length} totals are not those of the windows ${WINDOWS.join(', ')}`);
}

/** The platform of each window; null without tokens. */
export function decodePlatforms(stored: string): (string | null)[] {
  return stored.split(SEPARATOR).map((platform) => (platform === '' ? null : platform));
}

// An operator's streams are one binary value, because the database is far slower with nested documents. Each stream is a
// header (epoch, byte lengths of the two names, number of steps and, as its highest bit, whether former epochs have counts),
// the names, the steps' hours and their counts, and the counts of former epochs, little-endian.

const HEADER_BYTES = 8;
const LEDGER_BYTES_AT = 2;
const PLATFORM_BYTES_AT = 3;
const STEPS_AT = 4;
/** The bit of the number of steps that says that counts of former epochs follow. */
const HAS_FORMER = 0x8000_0000;
const HOUR_BYTES = 4;
const COUNTS_BYTES = 4 * 8;

/** Packs streams in order, without provenance. Throws a RangeError for a name of more than 255 bytes. */
export function encodeStreams(streams: readonly Stream[]): Uint8Array {
  const bytes = Buffer.allocUnsafe(streams.reduce((sum, stream) => sum + streamBytes(stream), 0));
  let at = 0;
  for (const { ledger, platform, epoch, series, former } of streams) {
    const ledgerBytes = bytes.write(ledger, at + HEADER_BYTES);
    const platformBytes = bytes.write(platform, at + HEADER_BYTES + ledgerBytes);
    bytes.writeUInt16LE(epoch, at);
    bytes.writeUInt8(ledgerBytes, at + LEDGER_BYTES_AT);
    bytes.writeUInt8(platformBytes, at + PLATFORM_BYTES_AT);
    bytes.writeUInt32LE((series.hours.length | (former === null ? 0 : HAS_FORMER)) >>> 0, at + STEPS_AT);
    at += HEADER_BYTES + ledgerBytes + platformBytes;
    bytes.set(bytesUnder(series.hours), at);
    bytes.set(bytesUnder(series.counts), at + series.hours.byteLength);
    at += series.hours.byteLength + series.counts.byteLength;
    if (former === null) continue;
    bytes.set(bytesUnder(former), at);
    at += former.byteLength;
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
    const head = bytes.readUInt32LE(at + STEPS_AT);
    const steps = head % HAS_FORMER;
    const seriesEnd = platformEnd + steps * (HOUR_BYTES + COUNTS_BYTES);
    const end = head < HAS_FORMER ? seriesEnd : seriesEnd + COUNTS_BYTES;
    if (end > bytes.length) throw damaged(bytes);
    streams.push({
      ledger: bytes.toString('utf8', at + HEADER_BYTES, ledgerEnd),
      platform: bytes.toString('utf8', ledgerEnd, platformEnd),
      epoch: bytes.readUInt16LE(at),
      series: seriesIn(bytes, platformEnd, steps),
      provenance: null,
      former: end === seriesEnd ? null : doublesIn(bytes, seriesEnd, end),
    });
    at = end;
  }
  return streams;
}

/** Copies, because the database's reply is not aligned. */
function seriesIn(bytes: Buffer, start: number, steps: number): CounterSeries {
  const hours = new Uint32Array(steps);
  const counts = new Float64Array(steps * (COUNTS_BYTES / Float64Array.BYTES_PER_ELEMENT));
  const hoursEnd = start + hours.byteLength;
  bytes.copy(bytesUnder(hours), 0, start, hoursEnd);
  bytes.copy(bytesUnder(counts), 0, hoursEnd, hoursEnd + counts.byteLength);
  return { hours, counts };
}

function doublesIn(bytes: Buffer, start: number, end: number): Float64Array {
  const doubles = new Float64Array((end - start) / Float64Array.BYTES_PER_ELEMENT);
  bytes.copy(bytesUnder(doubles), 0, start, end);
  return doubles;
}

function streamBytes({ ledger, platform, series: { hours, counts }, former }: Stream): number {
  const names = Buffer.byteLength(ledger) + Buffer.byteLength(platform);
  return HEADER_BYTES + names + hours.byteLength + counts.byteLength + (former?.byteLength ?? 0);
}

function bytesUnder(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function damaged({ length }: Uint8Array): Error {
  return new Error(`${length} bytes of streams are damaged`);
}
