/** A tool whose local files lack counts that a rank needs. */
export interface Unrankable {
  readonly title: string;
  readonly reason: string;
}

/** Popular tools that cannot be ranked, with the reason. Their counts are never estimated. */
export const UNRANKABLE: readonly Unrankable[] = [
  { title: 'Cursor', reason: 'stores no cache counts on the machine, and since September 2025 no counts at all' },
  { title: 'Goose', reason: 'stores only totals of input and output, without cache counts' },
  { title: 'Grok CLI', reason: 'stores only one total for input, output and cache' },
  { title: 'Crush, Warp, Antigravity, Devin', reason: 'store no token counts on the machine' },
];
