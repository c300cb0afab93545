import type { RankingContext } from '../context.ts';
import type { ChangeListDocument, RootDocument } from '../mongo/documents.ts';

/**
 * Notes who is in lists that the commit after `root` is about to take, while a re-rank or a rollback needs to know. To be
 * called before that version is published: a list is then either still there or on the trail, at every moment.
 */
export async function keepTrail(
  { stores, reach }: RankingContext,
  root: RootDocument,
  lists: readonly ChangeListDocument[],
): Promise<void> {
  const wanted = (root.rerank ?? null) !== null || (root.former ?? null) !== null;
  if (!wanted || lists.length === 0) return;
  await stores.changeTrail.add(root.version + 1, new Set(lists.flatMap(({ operators }) => operators)));
  await reach('trail.written');
}
