import type { RankingContext } from '../context.ts';
import type { DirtySetDocument, ManifestDocument } from '../storage/documents.ts';

/**
 * Logs the operators of the dirty sets that the commit after `manifest` is about to take, while a re-rank runs or a rollback
 * is possible. Call it before that version is published: at any time a change is then in a dirty set or in the log.
 */
export async function recordCatchUp(
  { stores, failpoint }: RankingContext,
  manifest: ManifestDocument,
  dirtySets: readonly DirtySetDocument[],
): Promise<void> {
  const isNeeded = (manifest.rerank ?? null) !== null || (manifest.former ?? null) !== null;
  if (!isNeeded || dirtySets.length === 0) return;
  await stores.catchUpLog.add(manifest.version + 1, new Set(dirtySets.flatMap(({ operators }) => operators)));
  await failpoint('catch_up.written');
}
