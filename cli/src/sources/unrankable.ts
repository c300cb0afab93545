/** A tool whose local files do not hold what a rank needs. */
export interface Unrankable {
  readonly title: string;
  readonly reason: string;
}

/** Tools that people ask for and that cannot be ranked, with the reason. Nothing is ever estimated in their place. */
export const UNRANKABLE: readonly Unrankable[] = [
  { title: 'Cursor', reason: 'keeps no cache counts on the machine, and since September 2025 no counts at all' },
  { title: 'Goose', reason: 'keeps totals of input and output only; what came from a cache is not told apart' },
  { title: 'Grok CLI', reason: 'keeps one total only; input, output and cache are not told apart' },
  { title: 'Crush, Warp, Antigravity, Devin', reason: 'keep no token counts on the machine' },
];
