const FIRST_CAPACITY = 1024;
const COUNTS_PER_ROW = 4;

/** The kind of a row. Stored as a number: the meanings never change. */
export const ROW = {
  /** The first row of a usage, to which its keys point. `links` is the next member, -1 for none. */
  head: 0,
  /** A further request of the same message. `links` is the next member, -1 for none. */
  member: 1,
  /** Merged into the usage of another row, to which `links` points. Its counts are zero. */
  merged: 2,
} as const;

/** The columns of a table. `counts` has four numbers per row, in the order of `COUNT_FIELDS`. */
export interface RowColumns {
  readonly counts: Float64Array;
  /** Seconds since the epoch; 0: unknown. */
  readonly times: Uint32Array;
  /** Hashes of request ids; 0: none. */
  readonly requests: Uint32Array;
  readonly links: Int32Array;
  /** The number of the last file with a record of the usage. */
  readonly files: Int32Array;
  readonly kinds: Uint8Array;
  /** The number of the platform. */
  readonly platforms: Uint8Array;
}

/** Rows as typed arrays, about 54 bytes per row, in their stored form. */
export class UsageColumns {
  rows = 0;
  counts = new Float64Array(0);
  times = new Uint32Array(0);
  requests = new Uint32Array(0);
  links = new Int32Array(0);
  files = new Int32Array(0);
  kinds = new Uint8Array(0);
  platforms = new Uint8Array(0);

  /** Adds a row of zeros; returns its number. */
  append(): number {
    if (this.rows === this.times.length) this.#resize(Math.max(FIRST_CAPACITY, this.rows * 2));
    this.rows += 1;
    return this.rows - 1;
  }

  /** Grows to a capacity, in rows. */
  reserve(capacity: number): void {
    if (capacity > this.times.length) this.#resize(capacity);
  }

  columns(): RowColumns {
    const { rows } = this;
    return {
      counts: this.counts.subarray(0, rows * COUNTS_PER_ROW),
      times: this.times.subarray(0, rows),
      requests: this.requests.subarray(0, rows),
      links: this.links.subarray(0, rows),
      files: this.files.subarray(0, rows),
      kinds: this.kinds.subarray(0, rows),
      platforms: this.platforms.subarray(0, rows),
    };
  }

  /** Rows over stored columns, without copying them. */
  static of(stored: RowColumns): UsageColumns {
    return Object.assign(new UsageColumns(), stored, { rows: stored.times.length });
  }

  #resize(capacity: number): void {
    const old = this.columns();
    this.counts = new Float64Array(capacity * COUNTS_PER_ROW);
    this.times = new Uint32Array(capacity);
    this.requests = new Uint32Array(capacity);
    this.links = new Int32Array(capacity);
    this.files = new Int32Array(capacity);
    this.kinds = new Uint8Array(capacity);
    this.platforms = new Uint8Array(capacity);
    this.counts.set(old.counts);
    this.times.set(old.times);
    this.requests.set(old.requests);
    this.links.set(old.links);
    this.files.set(old.files);
    this.kinds.set(old.kinds);
    this.platforms.set(old.platforms);
  }
}
