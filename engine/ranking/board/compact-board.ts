import type { RankingContext } from '../context.ts';
import { buildSteps, type Delta, deltaLimit, keptHistory } from '../core/board/index.ts';
import { type BoardState, lastSegmentOf, segmentsAfter, stateOf } from '../read/board-state.ts';
import { MissingPartError } from '../read/page-cache.ts';
import { runCooperatively } from '../run-cooperatively.ts';
import type { BaseRunHeader } from '../storage/base-runs.ts';
import type { ManifestDocument } from '../storage/documents.ts';
import { randomId } from '../storage/unique-id.ts';
import { readTable } from './read-table.ts';

/** Builds started before giving up: each was overtaken by a sweep or a merge. */
const MAX_TRIES = 5;

/** What of a board tells when it should be sorted anew. */
interface SortedBoard {
  readonly manifest: Pick<ManifestDocument, 'hour' | 'history'>;
  readonly base: Pick<BaseRunHeader, 'slots'>;
  readonly delta: Pick<Delta, 'size'>;
}

/** Whether the board should be sorted anew: its hour has no kept base yet, or too much has changed since the last one. */
export function isCompactionDue({ manifest, base, delta }: SortedBoard): boolean {
  const opened = manifest.history.at(-1)?.hour ?? -1;
  return opened < manifest.hour || delta.size > deltaLimit(base.slots);
}

/**
 * Sorts the field anew into a base and publishes it with the segments written meanwhile; commits and reads go on. Keeps the
 * base as the board of the hour if that has none. False when others were faster every time.
 */
export async function compactBoard(context: RankingContext): Promise<boolean> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const done = await attempt(context).catch((error: unknown) => {
      if (error instanceof MissingPartError) return false;
      throw error;
    });
    if (done) return true;
  }
  return false;
}

async function attempt(context: RankingContext): Promise<boolean> {
  const { stores, failpoint } = context;
  const manifest = await stores.board.read();
  const state = manifest === null ? null : await stateOf(stores.parts, manifest, null);
  if (manifest === null || state === null) return false;
  const started = performance.now();
  const present = { id: manifest.base, slots: state.base.slots };
  const base = state.delta.size === 0 ? present : await writeBaseRun(context, state);
  const published = await publishBase(context, state, base.id);
  await failpoint('compact.manifest_written');
  if (published) {
    const seconds = (performance.now() - started) / 1_000;
    context.report.compacted({ seconds, operators: Math.max(0, base.slots - 1), hour: manifest.hour });
  }
  return published;
}

async function writeBaseRun({ stores, failpoint, clock }: RankingContext, state: BoardState) {
  const { version, hour, methodology } = state.manifest;
  const id = `${version}-${randomId()}`;
  const table = await readTable(stores.parts, state);
  await failpoint('compact.table_read');
  const built = await runCooperatively(buildSteps(table.toArray()));
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

/** Publishes a base built from `state`, with the segments written since; false when it no longer fits under the root. */
async function publishBase({ stores }: RankingContext, state: BoardState, base: string): Promise<boolean> {
  const built = state.manifest;
  for (;;) {
    const manifest = await stores.board.read();
    if (manifest === null || manifest.garbageCollections !== built.garbageCollections || manifest.base !== built.base)
      return false;
    const segments = base === manifest.base ? manifest.segments : segmentsAfter(manifest, state.base, state);
    if (segments === null) return false;
    const kept = { base, hour: built.hour, methodology: built.methodology };
    const opened = manifest.history.at(-1)?.hour ?? -1;
    const history = opened < built.hour ? keptHistory([...manifest.history, kept], built.hour) : manifest.history;
    if ((await stores.board.advance(manifest, { base, segments, history })) !== null) return true;
  }
}
