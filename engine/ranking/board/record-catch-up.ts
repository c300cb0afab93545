import type { RankingContext } from '../context.ts';
import type { DirtySetDocument, ManifestDocument } from '../storage/documents.ts';

/**
 * Notes who is in lists that the commit after `root` is about to take, while a re-rank or a rollback needs to know. To be
 * called before that version is published: a list is then either still there or on the trail, at every moment.
 */
export async function recordCatchUp(
  { stores, failpoint }: RankingContext,
  manifest: ManifestDocument,
  lists: readonly DirtySetDocument[],
): Promise<void> {
  const wanted = (manifest.rerank ?? null) !== null || (manifest.former ?? null) !== null;
  if (!wanted || lists.length === 0) return;
  await stores.catchUpLog.add(manifest.version + 1, new Set(lists.flatMap(({ operators }) => operators)));
  await failpoint('catch_up.written');
}
