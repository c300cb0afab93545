const FIRST_CAPACITY = 1024;

type Column = Float64Array | Uint32Array | Int32Array | Uint8Array;

interface ColumnType {
  new (cells: number): Column;
  new (buffer: ArrayBufferLike, offset: number, cells: number): Column;
  readonly BYTES_PER_ELEMENT: number;
}

/** Names and types of columns, in the order in which they are stored. */
type Schema = Readonly<Record<string, ColumnType>>;

export type ColumnsOf<S extends Schema> = { [Name in keyof S]: InstanceType<S[Name]> };

/** Columns with more than one cell per row. */
const CELLS_PER_ROW: Readonly<Record<string, number>> = { counts: 4 };

/** Makes each column of `rows` rows. */
export function makeColumns<S extends Schema>(
  schema: S,
  rows: number,
  make: (type: ColumnType, cells: number, name: string) => Column,
): ColumnsOf<S>;
export function makeColumns(
  schema: Schema,
  rows: number,
  make: (type: ColumnType, cells: number, name: string) => Column,
): Readonly<Record<string, Column>> {
  const columns = Object.entries(schema).map(([name, type]) => {
    return [name, make(type, rows * (CELLS_PER_ROW[name] ?? 1), name)] as const;
  });
  return Object.fromEntries(columns);
}

function rowBytes(schema: Schema): number {
  const cells = Object.entries(schema).map(([name, type]) => type.BYTES_PER_ELEMENT * (CELLS_PER_ROW[name] ?? 1));
  return cells.reduce((sum, bytes) => sum + bytes, 0);
}

/** Typed arrays of equal length, to which rows are added. */
export class GrowingColumns<S extends Schema> {
  rows: number;
  /** With free capacity after the last row. */
  cells: ColumnsOf<S>;
  #capacity: number;
  readonly #schema: S;

  /** Over stored columns of `rows` rows, without copying them. */
  constructor(schema: S, stored?: ColumnsOf<S>, rows = 0) {
    this.#schema = schema;
    this.rows = rows;
    this.#capacity = rows;
    this.cells = stored ?? makeColumns(schema, 0, (type) => new type(0));
  }

  /** Adds a row of zeros; returns its number. */
  append(): number {
    if (this.rows === this.#capacity) this.reserve(Math.max(FIRST_CAPACITY, this.rows * 2));
    this.rows += 1;
    return this.rows - 1;
  }

  /** Grows to a capacity, in rows. */
  reserve(capacity: number): void {
    if (capacity <= this.#capacity) return;
    const known = this.stored();
    // Columns of so many rows end at multiples of the size of any cell.
    this.#capacity = Math.ceil(capacity / Float64Array.BYTES_PER_ELEMENT) * Float64Array.BYTES_PER_ELEMENT;
    // One buffer: the system takes it back as a whole, while a buffer for each column would leave gaps in the heap of malloc.
    const buffer = new ArrayBuffer(this.#capacity * rowBytes(this.#schema));
    let at = 0;
    this.cells = makeColumns(this.#schema, this.#capacity, (type, cells, name) => {
      const column = new type(buffer, at, cells);
      at += column.byteLength;
      column.set(known[name]!);
      return column;
    });
  }

  /** The columns without their free capacity. */
  stored(): ColumnsOf<S> {
    return makeColumns(this.#schema, this.rows, (_, cells, name) => this.cells[name]!.subarray(0, cells));
  }
}
