/** A count for people: thousands separators, at most three decimals. (`Intl` would take longer to load than a scan takes.) */
export function grouped(count: number): string {
  const [whole = '', decimals = ''] = String(Number(count.toFixed(3))).split('.');
  const separated = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return decimals === '' ? separated : `${separated}.${decimals}`;
}

/** `1 file`, `2 files`: a counted noun whose plural ends in s. */
export function plural(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}
