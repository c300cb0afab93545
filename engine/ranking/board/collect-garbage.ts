import type { RankingContext } from '../context.ts';
import { keptHistory } from '../core/board/index.ts';
import type { ManifestDocument } from '../storage/documents.ts';

/** Parts younger than this are left alone: they may be about to be published, and sweeping makes their builders start over. */
const GARBAGE_GRACE_MS = 10 * 60_000;

interface Parts {
  readonly bases: readonly string[];
  readonly segments: readonly string[];
  readonly topEntries: readonly string[];
}

/** What a root needs to stay whole, by kind: a commit's segment and its top entries have one name, and outlive each other. */
function referredTo(manifest: ManifestDocument): Parts {
  const boards = [manifest, ...(manifest.switches ?? []).flatMap(({ from, to }) => [from, to])];
  const prepared = typeof manifest.rerank?.base === 'string' ? [manifest.rerank.base] : [];
  return {
    bases: [...boards.map(({ base }) => base), ...manifest.history.map(({ base }) => base), ...prepared],
    segments: boards.flatMap(({ segments }) => segments.map(({ id }) => id)),
    topEntries: [manifest.topEntries],
  };
}

function unreferred(parts: Parts, manifest: ManifestDocument): Parts {
  const needed = referredTo(manifest);
  const without = (kind: keyof Parts): string[] => {
    const kept = new Set(needed[kind]);
    return parts[kind].filter((id) => !kept.has(id));
  };
  return { bases: without('bases'), segments: without('segments'), topEntries: without('topEntries') };
}

const count = ({ bases, segments, topEntries }: Parts): number => bases.length + segments.length + topEntries.length;

/**
 * Deletes the parts that neither the board nor its history refers to. First it advances the root, so that whoever prepared
 * a version before cannot publish it any more and no part found here can come to be referred to. Answers the number of
 * parts deleted; 0 also when a commit was faster, and the next sweep will do.
 */
export async function collectGarbage({ stores, clock, failpoint, report }: RankingContext): Promise<number> {
  const old = await stores.parts.createdBefore(new Date(clock() - GARBAGE_GRACE_MS));
  const made = { ...old, bases: [...old.bases, ...(await stores.parts.missingBases())] };
  const manifest = await stores.board.read();
  if (manifest === null) return 0;
  const history = keptHistory(manifest.history, manifest.hour);
  if (count(unreferred(made, { ...manifest, history })) === 0) return 0;
  const advanced = await stores.board.advance(manifest, {
    history,
    garbageCollections: manifest.garbageCollections + 1,
  });
  if (advanced === null) return 0;
  await failpoint('collect.manifest_advanced');
  const parts = unreferred(made, advanced);
  await stores.parts.removePages(parts.bases);
  await failpoint('collect.pages_deleted');
  await stores.parts.removeBases(parts.bases);
  await failpoint('collect.bases_deleted');
  await stores.parts.removeSegments(parts.segments);
  await failpoint('collect.segments_deleted');
  await stores.parts.removeTopEntries(parts.topEntries);
  await failpoint('collect.parts_deleted');
  report.collected({ parts: count(parts) });
  return count(parts);
}
