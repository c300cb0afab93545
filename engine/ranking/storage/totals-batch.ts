import { type JudgedWindow, WAIVERS, WINDOW_NUMBERS } from '../../integrity/index.ts';
import { PLATFORM_NUMBERS, TOTALS_NUMBERS } from '../core/operator-state/index.ts';
import type { ScoredRecord } from '../core/score-record.ts';

/** Window totals of many operators: arrays with one element, `TOTALS_NUMBERS` or `WAIVERS` per operator. */
export interface TotalsBatch {
  readonly operators: Uint32Array;
  /** 1, or 0 for operators that are unlisted or erased. */
  readonly listed: Uint8Array;
  readonly totals: Float64Array;
  /** Mask of rules; 0 where the record has none. */
  readonly findings: Int32Array;
  readonly waived: Float64Array;
  /** By index the totals of platforms as in `WindowSummary`, of operators with several; empty where they were not read. */
  readonly platformTotals: ReadonlyMap<number, Float64Array>;
}

/** A window of the operator at an index of a batch, as it is judged. */
export function judgedWindow({ totals, findings, waived }: TotalsBatch, index: number, window: number): JudgedWindow {
  const at = index * TOTALS_NUMBERS + window * WINDOW_NUMBERS;
  return { totals, at, findings: findings[index]!, waived, waivedAt: index * WAIVERS };
}

/** The record of the operator at an index of a batch; shares the memory of the batch. */
export function recordAt({ totals, findings, waived }: TotalsBatch, index: number): ScoredRecord {
  return {
    totals: totals.subarray(index * TOTALS_NUMBERS, (index + 1) * TOTALS_NUMBERS),
    assertions: { findings: findings[index]!, waived: waived.subarray(index * WAIVERS, (index + 1) * WAIVERS) },
  };
}

/** BSON element types that occur in the reply. */
const DOUBLE = 0x01;
const DOCUMENT = 0x03;
const ARRAY = 0x04;
const BINARY = 0x05;
const BOOLEAN = 0x08;
const INT32 = 0x10;

const SIZE_BYTES = 4;
const NUMBER_BYTES = 8;
/** A binary value begins with its length and its subtype. */
const BINARY_HEAD_BYTES = 5;
const BATCH_NAME = 'firstBatch';
/** Fields of every record: `_id`, `listed` and `totals`. */
const REQUIRED_FIELDS = 3;

/**
 * Decodes the raw single batch of a cursor: at most `most` documents of `_id`, `listed`, `totals` and, where set, `findings`,
 * `waived` and `platform_totals`. Throws for any other document shape. With a document of the driver for each record, a commit of
 * 1,000 changes takes a quarter more CPU time.
 */
export function readTotals(cursor: Uint8Array, most: number): TotalsBatch {
  return new TotalsReader(cursor, most).read();
}

class TotalsReader {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #operators: Uint32Array;
  readonly #listed: Uint8Array;
  readonly #totals: Float64Array;
  readonly #findings: Int32Array;
  readonly #waived: Float64Array;
  readonly #platformTotals = new Map<number, Float64Array>();
  #count = 0;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array, most: number) {
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength);
    this.#view = new DataView(buffer, byteOffset, byteLength);
    this.#operators = new Uint32Array(most);
    this.#listed = new Uint8Array(most);
    this.#totals = new Float64Array(most * TOTALS_NUMBERS);
    this.#findings = new Int32Array(most);
    this.#waived = new Float64Array(most * WAIVERS);
  }

  read(): TotalsBatch {
    // BSON arrays are documents whose keys are indexes; the keys are skipped.
    let at = this.#batchAt() + SIZE_BYTES;
    while (this.#bytes[at] !== 0) {
      if (this.#bytes[at] !== DOCUMENT) throw damaged('a record is not a document');
      at = this.#readRecord(this.#afterName(at + 1));
    }
    const count = this.#count;
    return {
      operators: this.#operators.subarray(0, count),
      listed: this.#listed.subarray(0, count),
      totals: this.#totals.subarray(0, count * TOTALS_NUMBERS),
      findings: this.#findings.subarray(0, count),
      waived: this.#waived.subarray(0, count * WAIVERS),
      platformTotals: this.#platformTotals,
    };
  }

  /** Offset of the batch in the cursor document, which also contains the cursor's id and namespace. */
  #batchAt(): number {
    const at = this.#bytes.indexOf(`${String.fromCharCode(ARRAY)}${BATCH_NAME}\0`, SIZE_BYTES, 'latin1');
    if (at < 0) throw damaged('there is no batch');
    return this.#afterName(at + 1);
  }

  #afterName(at: number): number {
    const bytes = this.#bytes;
    for (let end = at; end < bytes.length; end++) if (bytes[end] === 0) return end + 1;
    throw damaged('a name is not terminated');
  }

  /** Reads the record that begins at `start`; returns the offset after it. */
  #readRecord(start: number): number {
    const bytes = this.#bytes;
    if (this.#count === this.#operators.length) throw damaged('there are more records than requested');
    let fields = 0;
    let at = start + SIZE_BYTES;
    while (bytes[at] !== 0) {
      const value = this.#afterName(at + 1);
      const name = bytes.toString('latin1', at + 1, value - 1);
      if (name === '_id' || name === 'listed' || name === 'totals') fields++;
      at = this.#readField(bytes[at]!, name, value);
    }
    if (fields !== REQUIRED_FIELDS) throw damaged(`a record has ${fields} fields`);
    this.#count++;
    return at + 1;
  }

  /** Reads a field whose value begins at `at`; returns the offset after it. */
  #readField(type: number, name: string, at: number): number {
    const bytes = this.#bytes;
    if (name === '_id' && (type === INT32 || type === DOUBLE)) {
      this.#operators[this.#count] = type === INT32 ? bytes.readInt32LE(at) : bytes.readDoubleLE(at);
      return at + (type === INT32 ? SIZE_BYTES : NUMBER_BYTES);
    }
    if (name === 'findings' && type === INT32) {
      this.#findings[this.#count] = bytes.readInt32LE(at);
      return at + SIZE_BYTES;
    }
    if (name === 'listed' && type === BOOLEAN) {
      this.#listed[this.#count] = bytes[at]!;
      return at + 1;
    }
    if (name === 'totals' && type === BINARY) return this.#readOwn(at, this.#totals, TOTALS_NUMBERS);
    if (name === 'waived' && type === BINARY) return this.#readOwn(at, this.#waived, WAIVERS);
    if (name === 'platform_totals' && type === BINARY) return this.#readPlatforms(at);
    throw damaged(`a field has the type ${type}`);
  }

  /** Reads a binary value of so many doubles into those of the present operator; returns the offset after it. */
  #readOwn(at: number, into: Float64Array, numbers: number): number {
    const length = this.#view.getInt32(at, true);
    if (length !== numbers * NUMBER_BYTES) throw damaged(`a value has ${length} bytes`);
    return this.#readDoubles(at, into, this.#count * numbers, numbers);
  }

  /** Reads the totals of any number of platforms. */
  #readPlatforms(at: number): number {
    const length = this.#view.getInt32(at, true);
    if (length % (PLATFORM_NUMBERS * NUMBER_BYTES) !== 0) throw damaged(`totals of platforms have ${length} bytes`);
    const own = new Float64Array(length / NUMBER_BYTES);
    if (own.length > 0) this.#platformTotals.set(this.#count, own);
    return this.#readDoubles(at, own, 0, own.length);
  }

  #readDoubles(at: number, into: Float64Array, first: number, numbers: number): number {
    let from = at + BINARY_HEAD_BYTES;
    for (let number = 0; number < numbers; number++) {
      into[first + number] = this.#view.getFloat64(from, true);
      from += NUMBER_BYTES;
    }
    return from;
  }
}

function damaged(what: string): Error {
  return new Error(`operators' totals could not be read: ${what}`);
}
