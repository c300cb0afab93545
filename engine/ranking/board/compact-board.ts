import type { RankingContext } from '../context.ts';
import { buildBaseRunCooperatively, type Delta, deltaLimit, keptHistory } from '../core/board/index.ts';
import { type BoardState, lastSegmentOf, segmentsAfter, stateOf } from '../read/board-state.ts';
import { HOURS_24H } from '../read/movement.ts';
import { firstOfTries } from '../read/page-cache.ts';
import { runCooperatively } from '../run-cooperatively.ts';
import type { BaseRunHeader } from '../storage/base-runs.ts';
import type { ManifestDocument } from '../storage/board-manifest.ts';
import { randomId } from '../storage/unique-id.ts';
import { readTable } from './read-table.ts';

interface CompactionInput {
  readonly manifest: Pick<ManifestDocument, 'hour' | 'history'>;
  readonly base: Pick<BaseRunHeader, 'slots'>;
  readonly delta: Pick<Delta, 'size'>;
}

/** Whether a compaction is due: the board's hour has no kept base run yet, or the delta exceeds its limit. */
export function isCompactionDue({ manifest, base, delta }: CompactionInput): boolean {
  const lastKeptHour = manifest.history.at(-1)?.hour ?? -1;
  return lastKeptHour < manifest.hour || delta.size > deltaLimit(base.slots);
}

/**
 * Sorts the population into a new base run and publishes it with the segments written meanwhile; commits and reads
 * continue. Keeps the base run in the history if the hour has none and is not a day ago. Returns false when garbage collection
 * or a merge of segments invalidated every attempt.
 */
export async function compactBoard(context: RankingContext): Promise<boolean> {
  return (await firstOfTries(async () => (await attempt(context)) || null)) !== null;
}

async function attempt(context: RankingContext): Promise<boolean> {
  const { stores, failpoint } = context;
  const manifest = await stores.board.read();
  const state = manifest === null ? null : await stateOf(stores.parts, manifest, null);
  if (manifest === null || state === null) return false;
  await failpoint('compact.state_read');
  const started = performance.now();
  const current = { id: manifest.base, slots: state.base.slots };
  const base = state.delta.size === 0 ? current : await writeBaseRun(context, state);
  const published = await publishBase(context, state, base.id);
  await failpoint('compact.manifest_written');
  if (published) {
    const seconds = (performance.now() - started) / 1_000;
    context.report.compacted?.({ seconds, operators: Math.max(0, base.slots - 1), hour: manifest.hour });
  }
  return published;
}

async function writeBaseRun({ stores, failpoint, clock }: RankingContext, state: BoardState) {
  const { version, hour, methodology } = state.manifest;
  const id = `${version}-${randomId()}`;
  const table = await readTable(stores.parts, state);
  await failpoint('compact.table_read');
  const built = await runCooperatively(buildBaseRunCooperatively(table.toArray()));
  await stores.parts.writeBaseRun(id, built, {
    version,
    lastSegment: lastSegmentOf(state),
    hour,
    methodology,
    created_at: new Date(clock()),
  });
  await failpoint('compact.base_written');
  await stores.parts.writePages(id, built);
  await failpoint('compact.pages_written');
  return { id, slots: built.slots };
}

/** Publishes a base run built from `state`, with the segments written since; false when the manifest has another base. */
async function publishBase({ stores }: RankingContext, state: BoardState, base: string): Promise<boolean> {
  const built = state.manifest;
  for (;;) {
    const manifest = await stores.board.read();
    if (manifest === null || manifest.garbageCollections !== built.garbageCollections || manifest.base !== built.base)
      return false;
    const segments = base === manifest.base ? manifest.segments : segmentsAfter(manifest, state.base, state);
    if (segments === null) return false;
    const kept = { base, hour: built.hour, methodology: built.methodology };
    const lastKeptHour = manifest.history.at(-1)?.hour ?? -1;
    // Within an hour movements are measured from the same boards: one that became a day old meanwhile is not kept.
    const isKept = lastKeptHour < built.hour && built.hour > manifest.hour - HOURS_24H;
    const history = isKept ? keptHistory([...manifest.history, kept], built.hour) : manifest.history;
    if ((await stores.board.advance(manifest, { base, segments, history })) !== null) return true;
  }
}
