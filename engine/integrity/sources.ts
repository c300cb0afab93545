import { HOUR_MS } from '../../config/units.ts';
import { PLATFORMS, type PlatformFacts } from '../contract/platforms.ts';

/** The facts of every platform, after those of all platforms without facts. Stored statistics name a source by its place. */
export const SOURCES: readonly (PlatformFacts & { readonly platform: string })[] = [
  { platform: '', released: '2022-11', cacheWrites: true },
  ...Object.entries(PLATFORMS).map(([platform, facts]) => ({ platform, ...facts })),
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
