import type { BoardReader, Profile } from '../../../engine/ranking/index.ts';

/**
 * Reads profiles so that whoever asks for one that is being read on the same board version gets that one: a much-read
 * profile costs one reading when its kept answer ends, however many ask at that moment.
 */
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
