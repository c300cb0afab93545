/** Four accumulated counts. */
export type Totals = Record<'input' | 'output' | 'cache_read' | 'cache_write', number>;

export function zeroTotals(): Totals {
  return { input: 0, output: 0, cache_read: 0, cache_write: 0 };
}

export function addTotals(target: Totals, more: Readonly<Totals>): void {
  target.input += more.input;
  target.output += more.output;
  target.cache_read += more.cache_read;
  target.cache_write += more.cache_write;
}
