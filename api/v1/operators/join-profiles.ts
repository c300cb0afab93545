import { singleFlight } from '../../../config/single-flight.ts';
import type { BoardReader, Profile } from '../../../engine/ranking/index.ts';

/** Concurrent requests for the same profile of the same board version share one read. */
export function joinProfiles({
  view,
  profile,
}: Pick<BoardReader, 'view' | 'profile'>): (codename: string) => Promise<Profile | null> {
  const join = singleFlight<Profile | null>();
  return (codename) => join(() => profile(codename), `${view().version} ${codename}`);
}
