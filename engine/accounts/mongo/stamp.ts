import type { mongo } from 'mongoose';

/**
 * When an entry is written to a list that is followed: now, or with the newest entry where the writer's clock is late.
 * Followers look for what is newer than what they know of.
 */
export async function generationOf<Entry extends { readonly at: Date }>(
  list: mongo.Collection<Entry>,
  now: Date,
): Promise<Date> {
  const newest = await list.findOne<Pick<Entry, 'at'>>({}, { sort: { at: -1 }, projection: { at: 1 } });
  return newest !== null && newest.at > now ? newest.at : now;
}
