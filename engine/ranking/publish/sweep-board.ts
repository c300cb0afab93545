import type { RankingContext } from '../context.ts';
import { keptHistory } from '../core/board/index.ts';
import type { RootDocument } from '../mongo/documents.ts';

/** Parts younger than this are left alone: they may be about to be published, and sweeping makes their builders start over. */
const SWEEP_GRACE_MS = 10 * 60_000;

interface Parts {
  readonly bases: readonly string[];
  readonly segments: readonly string[];
  readonly tops: readonly string[];
}

/** What a root needs to stay whole, by kind: a commit's segment and its top entries have one name, and outlive each other. */
function referredTo(root: RootDocument): Parts {
  const boards = [root, ...(root.switches ?? []).flatMap(({ from, to }) => [from, to])];
  const prepared = typeof root.rerank?.base === 'string' ? [root.rerank.base] : [];
  return {
    bases: [...boards.map(({ base }) => base), ...root.history.map(({ base }) => base), ...prepared],
    segments: boards.flatMap(({ segments }) => segments.map(({ id }) => id)),
    tops: [root.tops],
  };
}

function unreferred(parts: Parts, root: RootDocument): Parts {
  const needed = referredTo(root);
  const without = (kind: keyof Parts): string[] => {
    const kept = new Set(needed[kind]);
    return parts[kind].filter((id) => !kept.has(id));
  };
  return { bases: without('bases'), segments: without('segments'), tops: without('tops') };
}

const count = ({ bases, segments, tops }: Parts): number => bases.length + segments.length + tops.length;

/**
 * Deletes the parts that neither the board nor its history refers to. First it advances the root, so that whoever prepared
 * a version before cannot publish it any more and no part found here can come to be referred to. Answers the number of
 * parts deleted; 0 also when a commit was faster, and the next sweep will do.
 */
export async function sweepBoard({ stores, clock, reach, report }: RankingContext): Promise<number> {
  const old = await stores.parts.madeBefore(new Date(clock() - SWEEP_GRACE_MS));
  const made = { ...old, bases: [...old.bases, ...(await stores.parts.lostBases())] };
  const root = await stores.board.read();
  if (root === null) return 0;
  const history = keptHistory(root.history, root.hour);
  if (count(unreferred(made, { ...root, history })) === 0) return 0;
  const advanced = await stores.board.advance(root, { history, sweeps: root.sweeps + 1 });
  if (advanced === null) return 0;
  await reach('sweep.root_advanced');
  const parts = unreferred(made, advanced);
  await stores.parts.removePages(parts.bases);
  await reach('sweep.pages_deleted');
  await stores.parts.removeBases(parts.bases);
  await reach('sweep.bases_deleted');
  await stores.parts.removeSegments(parts.segments);
  await reach('sweep.segments_deleted');
  await stores.parts.removeTops(parts.tops);
  await reach('sweep.parts_deleted');
  report.swept({ parts: count(parts) });
  return count(parts);
}
