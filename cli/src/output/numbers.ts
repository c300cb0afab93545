/** A count with thousands separators and at most three decimals. (`Intl` takes longer to load than a scan of unchanged logs.) */
export function grouped(count: number): string {
  const [whole = '', decimals = ''] = String(Number(count.toFixed(3))).split('.');
  const separated = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return decimals === '' ? separated : `${separated}.${decimals}`;
}

/** `1 file`, `2 files`: a counted noun whose plural ends in s. */
export function plural(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}
