import type { Origin } from '../sources/source.ts';
import { Origins, UNKNOWN_ORIGIN } from '../store/origins.ts';
import type { ReadRecord } from './read-log-file.ts';

/** Numbers of a record before its keys: file, origin, number of keys, request, time, the four counts. Each key takes two more. */
const RECORD_CELLS = 9;
const KEY_CELLS = 2;

/** Numbers in each half of the memory: room for some thousand records. */
const HALF_CELLS = 2 ** 15;
const HALF_BYTES = HALF_CELLS * Float64Array.BYTES_PER_ELEMENT;

/** Records in one half of the memory, which end at `end`. */
export interface SentRecords {
  readonly half: number;
  readonly end: number;
  readonly origins: readonly Origin[];
}

/**
 * The memory through which a scan worker passes its records. It does not grow; arrays that are sent instead stay until a garbage
 * collection of the main thread. While one half is read, the other one is written.
 */
export function shareRecordMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * HALF_BYTES + 2 * Int32Array.BYTES_PER_ELEMENT);
}

function cellsOf(memory: SharedArrayBuffer, half: number): Float64Array {
  return new Float64Array(memory, half * HALF_BYTES, HALF_CELLS);
}

/** For each half 1 from when it is sent until it has been read. */
function statesOf(memory: SharedArrayBuffer): Int32Array {
  return new Int32Array(memory, 2 * HALF_BYTES, 2);
}

/** Writes records into shared memory. */
export class RecordWriter {
  readonly #halves: readonly Float64Array[];
  readonly #states: Int32Array;
  #half = 0;
  #end = 0;
  #origins = new Origins();

  constructor(memory: SharedArrayBuffer) {
    this.#halves = [0, 1].map((half) => cellsOf(memory, half));
    this.#states = statesOf(memory);
  }

  /** Adds a record of a file, which the caller numbers. False when there is no room for it until the others are sent. */
  add({ keys, request, counts, time, origin }: ReadRecord, file: number): boolean {
    const end = this.#end + RECORD_CELLS + keys.length * KEY_CELLS;
    if (end > HALF_CELLS) return false;
    if (this.#end === 0) Atomics.wait(this.#states, this.#half, 1);
    const cells = this.#halves[this.#half]!;
    let at = this.#end;
    cells[at++] = file;
    cells[at++] = origin === undefined ? UNKNOWN_ORIGIN : this.#origins.number(origin);
    cells[at++] = keys.length;
    cells[at++] = request;
    cells[at++] = time;
    cells[at++] = counts.input;
    cells[at++] = counts.output;
    cells[at++] = counts.cache_read;
    cells[at++] = counts.cache_write;
    for (const { high, low } of keys) {
      cells[at++] = high;
      cells[at++] = low;
    }
    this.#end = end;
    return true;
  }

  /** The records since the last call, to be sent to the thread that reads them. */
  take(): SentRecords {
    const taken = { half: this.#half, end: this.#end, origins: this.#origins.list };
    if (this.#end === 0) return taken;
    Atomics.store(this.#states, this.#half, 1);
    this.#half = 1 - this.#half;
    this.#end = 0;
    this.#origins = new Origins();
    return taken;
  }
}

/** Visits records in the order in which they were added. A record is valid only during the call: the object is reused. */
export function readRecords(
  memory: SharedArrayBuffer,
  { half, end, origins }: SentRecords,
  visit: (record: ReadRecord, file: number) => void,
): void {
  const cells = cellsOf(memory, half);
  const counts = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
  const keys: Array<{ high: number; low: number }> = [];
  const record = { keys, request: 0, time: 0, counts, origin: origins[UNKNOWN_ORIGIN] };
  for (let at = 0; at < end; ) {
    const file = cells[at++]!;
    record.origin = origins[cells[at++]!];
    const keyCount = cells[at++]!;
    record.request = cells[at++]!;
    record.time = cells[at++]!;
    counts.input = cells[at++]!;
    counts.output = cells[at++]!;
    counts.cache_read = cells[at++]!;
    counts.cache_write = cells[at++]!;
    while (keys.length < keyCount) keys.push({ high: 0, low: 0 });
    keys.length = keyCount;
    for (const key of keys) {
      key.high = cells[at++]!;
      key.low = cells[at++]!;
    }
    visit(record, file);
  }
  Atomics.store(statesOf(memory), half, 0);
  Atomics.notify(statesOf(memory), half);
}
