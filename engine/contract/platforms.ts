/** What is known of a platform whose logs the tool reads. */
export interface PlatformFacts {
  /** Month of the first public release, in UTC: usage is not older. */
  readonly released: `${number}-${number}`;
  /** Whether it reports cache writes; where it does not, input stands in their place. */
  readonly cacheWrites: boolean;
}

/** Every platform whose logs the tool reads. Stored statistics name a platform by its place: append only. */
export const PLATFORMS = {
  'claude-code': { released: '2025-02', cacheWrites: true },
  codex: { released: '2025-04', cacheWrites: false },
  'gemini-cli': { released: '2025-06', cacheWrites: false },
  'qwen-code': { released: '2025-07', cacheWrites: false },
  kimi: { released: '2025-10', cacheWrites: false },
  opencode: { released: '2025-05', cacheWrites: true },
  amp: { released: '2025-05', cacheWrites: true },
  droid: { released: '2025-08', cacheWrites: true },
  pi: { released: '2025-08', cacheWrites: true },
  'copilot-cli': { released: '2025-09', cacheWrites: true },
  cline: { released: '2024-07', cacheWrites: true },
  'roo-code': { released: '2024-10', cacheWrites: true },
  'kilo-code': { released: '2025-03', cacheWrites: true },
  'kilo-cli': { released: '2026-01', cacheWrites: true },
  openclaw: { released: '2025-11', cacheWrites: true },
  hermes: { released: '2026-02', cacheWrites: true },
} as const satisfies Readonly<Record<string, PlatformFacts>>;

export type Platform = keyof typeof PLATFORMS;
