import type { RankingContext } from '../context.ts';
import { keptHistory } from '../core/board/index.ts';
import { isOfRun, type ManifestDocument } from '../storage/board-manifest.ts';
import type { PartIds } from '../storage/board-parts.ts';

/** Younger parts are kept: they may be about to be published, and deleting them makes their writers start again. */
const GARBAGE_GRACE_MS = 10 * 60_000;

/** The parts that a manifest refers to, by kind: a commit's segment and top entries share an id but not their lifetime. */
function referencedParts(manifest: ManifestDocument): PartIds {
  const boards = [manifest, ...(manifest.switches ?? []).flatMap(({ from, to }) => [from, to])];
  const prepared = typeof manifest.rerank?.base === 'string' ? [manifest.rerank.base] : [];
  const { bases = {}, former = [] } = manifest.platforms ?? {};
  return {
    bases: [
      ...boards.map(({ base }) => base),
      ...manifest.history.map(({ base }) => base),
      ...prepared,
      ...Object.values(bases),
      ...former,
    ],
    segments: boards.flatMap(({ segments }) => segments.map(({ id }) => id)),
    topEntries: [manifest.topEntries],
  };
}

function unreferencedParts(parts: PartIds, manifest: ManifestDocument): PartIds {
  const referenced = referencedParts(manifest);
  const unreferenced = (kind: keyof PartIds): string[] => {
    const kept = new Set(referenced[kind]);
    return parts[kind].filter((id) => !kept.has(id) && !isOfRun(manifest.platformRun, id));
  };
  return { bases: unreferenced('bases'), segments: unreferenced('segments'), topEntries: unreferenced('topEntries') };
}

const count = ({ bases, segments, topEntries }: PartIds): number => bases.length + segments.length + topEntries.length;

/**
 * Deletes the parts that neither the board nor its history refers to. It first advances the manifest, so that a version
 * prepared before can no longer be published and no unreferenced part can become referenced. Returns the number of parts
 * deleted; 0 also when a commit wins the race, in which case the next run deletes them.
 */
export async function collectGarbage({ stores, clock, failpoint, report }: RankingContext): Promise<number> {
  const old = await stores.parts.createdBefore(new Date(clock() - GARBAGE_GRACE_MS));
  const candidates = { ...old, bases: [...old.bases, ...(await stores.parts.missingBases())] };
  const manifest = await stores.board.read();
  if (manifest === null) return 0;
  const history = keptHistory(manifest.history, manifest.hour);
  if (count(unreferencedParts(candidates, { ...manifest, history })) === 0) return 0;
  const advanced = await stores.board.advance(manifest, {
    history,
    garbageCollections: manifest.garbageCollections + 1,
  });
  if (advanced === null) return 0;
  await failpoint('collect.manifest_advanced');
  const parts = unreferencedParts(candidates, advanced);
  await stores.parts.removePages(parts.bases);
  await failpoint('collect.pages_deleted');
  await stores.parts.remove('bases', parts.bases);
  await failpoint('collect.bases_deleted');
  await stores.parts.remove('segments', parts.segments);
  await failpoint('collect.segments_deleted');
  await stores.parts.remove('topEntries', parts.topEntries);
  await failpoint('collect.parts_deleted');
  report.collected?.({ parts: count(parts) });
  return count(parts);
}
