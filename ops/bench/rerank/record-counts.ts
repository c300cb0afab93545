/** Windows of a record, in the order in which totals store them. */
export const RECORD_WINDOWS = 4;
const FIELDS = 4;

/** A number in [0, 1) that follows from two whole ones. */
function scatter(index: number, salt: number): number {
  let mixed = Math.imul(index ^ (salt * 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}

/** How much less than others those records have that are small. */
const SMALL = 1_000;

/**
 * The 16 totals of the n-th record (four counts for each window): the same for the same number, all different, and all of them
 * ranked under every methodology, except that of `smallEvery` records one is so small that methodology 2 leaves it out of
 * most windows; 0 for none.
 */
export function totalsOfRecord(index: number, smallEvery = 0): Float64Array {
  const totals = usualTotals(index);
  return smallEvery > 0 && index % smallEvery === 0 ? totals.map((count) => Math.ceil(count / SMALL)) : totals;
}

function usualTotals(index: number): Float64Array {
  const totals = new Float64Array(RECORD_WINDOWS * FIELDS);
  for (let window = 0; window < RECORD_WINDOWS; window++) {
    const input = 10_000 + Math.floor(scatter(index, 4 * window + 1) * 1e6);
    totals[window * FIELDS] = input;
    totals[window * FIELDS + 1] = Math.floor(input * (0.1 + 4 * scatter(index, 4 * window + 2)));
    totals[window * FIELDS + 2] = Math.floor(input * 300 * scatter(index, 4 * window + 3) ** 2);
    totals[window * FIELDS + 3] = Math.floor(input * scatter(index, 4 * window + 4));
  }
  return totals;
}

/** The Yields of records 1 to `records` in one window, at the place of their number; NaN at 0. */
export function yieldsOfRecords(records: number, window: number): Float64Array {
  const yields = new Float64Array(records + 1).fill(Number.NaN);
  for (let index = 1; index <= records; index++) {
    const totals = totalsOfRecord(index);
    const [input, output, cacheRead] = totals.subarray(window * FIELDS);
    yields[index] = (cacheRead! * output!) / (input! * input!);
  }
  return yields;
}
