import type { RankingContext } from '../context.ts';
import { buildSteps, keptHistory, type Overlay, overlayLimit } from '../core/board/index.ts';
import { inTurns } from '../in-turns.ts';
import type { BaseHeader } from '../mongo/board-bases.ts';
import type { RootDocument } from '../mongo/documents.ts';
import { randomName } from '../mongo/unique-id.ts';
import { type BoardState, segmentsAfter, stateOf, tipOf } from '../read/board-state.ts';
import { PartGone } from '../read/page-cache.ts';
import { readTable } from './read-table.ts';

/** Builds started before giving up: each was overtaken by a sweep or a merge. */
const MAX_TRIES = 5;

/** What of a board tells when it should be sorted anew. */
interface SortedBoard {
  readonly root: Pick<RootDocument, 'hour' | 'history'>;
  readonly base: Pick<BaseHeader, 'slots'>;
  readonly overlay: Pick<Overlay, 'size'>;
}

/** Whether the board should be sorted anew: its hour has no kept base yet, or too much has changed since the last one. */
export function isCompactionDue({ root, base, overlay }: SortedBoard): boolean {
  const opened = root.history.at(-1)?.hour ?? -1;
  return opened < root.hour || overlay.size > overlayLimit(base.slots);
}

/**
 * Sorts the field anew into a base and publishes it with the segments written meanwhile; commits and reads go on. Keeps the
 * base as the board of the hour if that has none. False when others were faster every time.
 */
export async function compactBoard(context: RankingContext): Promise<boolean> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const done = await attempt(context).catch((error: unknown) => {
      if (error instanceof PartGone) return false;
      throw error;
    });
    if (done) return true;
  }
  return false;
}

async function attempt(context: RankingContext): Promise<boolean> {
  const { stores, reach } = context;
  const root = await stores.board.read();
  const state = root === null ? null : await stateOf(stores.parts, root, null);
  if (root === null || state === null) return false;
  const started = performance.now();
  const present = { id: root.base, slots: state.base.slots };
  const base = state.overlay.size === 0 ? present : await writeBase(context, state);
  const published = await publishBase(context, state, base.id);
  await reach('compact.root_written');
  if (published) {
    const seconds = (performance.now() - started) / 1_000;
    context.report.compacted({ seconds, operators: Math.max(0, base.slots - 1), hour: root.hour });
  }
  return published;
}

async function writeBase({ stores, reach, clock }: RankingContext, state: BoardState) {
  const { version, hour, methodology } = state.root;
  const id = `${version}-${randomName()}`;
  const table = await readTable(stores.parts, state);
  await reach('compact.table_read');
  const built = await inTurns(buildSteps(table.toArray()));
  await stores.parts.writeBase(id, built, {
    version,
    tip: tipOf(state),
    hour,
    methodology,
    created_at: new Date(clock()),
  });
  await reach('compact.base_written');
  await stores.parts.writePages(id, built);
  await reach('compact.pages_written');
  return { id, slots: built.slots };
}

/** Publishes a base built from `state`, with the segments written since; false when it no longer fits under the root. */
async function publishBase({ stores }: RankingContext, state: BoardState, base: string): Promise<boolean> {
  const built = state.root;
  for (;;) {
    const root = await stores.board.read();
    if (root === null || root.sweeps !== built.sweeps || root.base !== built.base) return false;
    const segments = base === root.base ? root.segments : segmentsAfter(root, state.base, state);
    if (segments === null) return false;
    const kept = { base, hour: built.hour, methodology: built.methodology };
    const opened = root.history.at(-1)?.hour ?? -1;
    const history = opened < built.hour ? keptHistory([...root.history, kept], built.hour) : root.history;
    if ((await stores.board.advance(root, { base, segments, history })) !== null) return true;
  }
}
