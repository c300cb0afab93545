import { PLATFORMS } from '../contract/platforms.ts';

/** Every platform that has a reference, after all others (empty). Stored numbers name a source by its place. */
export const SOURCES: readonly string[] = ['', ...PLATFORMS];

const PLACES = new Map(SOURCES.map((platform, place) => [platform, place]));

/** The place of a platform in `SOURCES`; 0 for others. */
export function sourceOf(platform: string | null): number {
  return PLACES.get(platform ?? '') ?? 0;
}
