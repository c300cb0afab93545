import type { mongo } from 'mongoose';

/**
 * The time to write into an entry of a followed list: now, or that of the newest entry when this process's clock is behind.
 * Followers read the entries that are newer than the last one they read.
 */
export async function nextWriteTime<Entry extends { readonly at: Date }>(
  list: mongo.Collection<Entry>,
  now: Date,
): Promise<Date> {
  const newest = await list.findOne<Pick<Entry, 'at'>>({}, { sort: { at: -1 }, projection: { at: 1 } });
  return newest !== null && newest.at > now ? newest.at : now;
}
