const GROUPED = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

/** A count for people: thousands separators, at most three decimals. */
export function grouped(count: number): string {
  return GROUPED.format(count);
}

/** `1 file`, `2 files`: a counted noun whose plural ends in s. */
export function plural(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}
