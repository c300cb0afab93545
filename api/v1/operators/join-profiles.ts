import type { BoardReader, Profile } from '../../../engine/ranking/index.ts';

/** Concurrent requests for the same profile of the same board version share one read. */
export function joinProfiles({
  view,
  profile,
}: Pick<BoardReader, 'view' | 'profile'>): (codename: string) => Promise<Profile | null> {
  const underway = new Map<string, Promise<Profile | null>>();
  return (codename) => {
    const key = `${view().version} ${codename}`;
    const joined = underway.get(key);
    if (joined !== undefined) return joined;
    const reading = profile(codename).finally(() => underway.delete(key));
    underway.set(key, reading);
    return reading;
  };
}
