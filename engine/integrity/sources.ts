import { HOUR_MS } from '../../config/units.ts';

/** What the rules know of a platform. */
export interface SourceFacts {
  readonly platform: string;
  /** Month of the first public release, in UTC: usage is not older. */
  readonly released: `${number}-${number}`;
  /** Whether the tool reports cache writes; where it does not, input stands in their place. */
  readonly cacheWrites: boolean;
}

/** The first is every platform without facts. Stored statistics name a source by its place: append only. */
export const SOURCES: readonly SourceFacts[] = [
  { platform: '', released: '2022-11', cacheWrites: true },
  { platform: 'claude-code', released: '2025-02', cacheWrites: true },
  { platform: 'codex', released: '2025-04', cacheWrites: false },
  { platform: 'gemini-cli', released: '2025-06', cacheWrites: false },
  { platform: 'qwen-code', released: '2025-07', cacheWrites: false },
  { platform: 'kimi', released: '2025-10', cacheWrites: false },
  { platform: 'opencode', released: '2025-05', cacheWrites: true },
  { platform: 'amp', released: '2025-05', cacheWrites: true },
  { platform: 'droid', released: '2025-08', cacheWrites: true },
  { platform: 'pi', released: '2025-08', cacheWrites: true },
  { platform: 'copilot-cli', released: '2025-09', cacheWrites: true },
  { platform: 'cline', released: '2024-07', cacheWrites: true },
  { platform: 'roo-code', released: '2024-10', cacheWrites: true },
  { platform: 'kilo-code', released: '2025-03', cacheWrites: true },
  { platform: 'kilo-cli', released: '2026-01', cacheWrites: true },
  { platform: 'openclaw', released: '2025-11', cacheWrites: true },
  { platform: 'hermes', released: '2026-02', cacheWrites: true },
];

/** The first hour (since the Unix epoch) after which each source has usage. */
export const RELEASE_HOURS: readonly number[] = SOURCES.map(
  ({ released }) => Date.parse(`${released}-01T00:00:00Z`) / HOUR_MS,
);

const PLACES = new Map(SOURCES.map(({ platform }, place) => [platform, place]));

/** The place of a platform in `SOURCES`; 0 for one without facts. */
export function sourceOf(platform: string | null): number {
  return PLACES.get(platform ?? '') ?? 0;
}
