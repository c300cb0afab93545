/** Windows of a record, in the order in which totals store them. */
export const RECORD_WINDOWS = 4;
const COUNTS = 4;

/** A pseudorandom number in [0, 1) derived from two integers. */
function scatter(index: number, salt: number): number {
  let mixed = Math.imul(index ^ (salt * 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}

/** Divisor of a small record's counts. */
const SMALL = 1_000;

/**
 * The 16 totals of the n-th record (four counts for each window), derived from its number. Totals differ between records, and
 * all are ranked under every methodology, except that one of `smallEvery` records is too small for methodology 2 in
 * most windows; 0: none.
 */
export function totalsOfRecord(index: number, smallEvery = 0): Float64Array {
  const totals = usualTotals(index);
  return smallEvery > 0 && index % smallEvery === 0 ? totals.map((count) => Math.ceil(count / SMALL)) : totals;
}

function usualTotals(index: number): Float64Array {
  const totals = new Float64Array(RECORD_WINDOWS * COUNTS);
  for (let window = 0; window < RECORD_WINDOWS; window++) {
    const input = 10_000 + Math.floor(scatter(index, 4 * window + 1) * 1e6);
    totals[window * COUNTS] = input;
    totals[window * COUNTS + 1] = Math.floor(input * (0.1 + 4 * scatter(index, 4 * window + 2)));
    totals[window * COUNTS + 2] = Math.floor(input * 300 * scatter(index, 4 * window + 3) ** 2);
    totals[window * COUNTS + 3] = Math.floor(input * scatter(index, 4 * window + 4));
  }
  return totals;
}
