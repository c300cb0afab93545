import type { RankingContext } from '../context.ts';
import { buildSteps, type YieldTable } from '../core/board/index.ts';
import { inTurns } from '../in-turns.ts';
import type { BaseHeader } from '../mongo/board-bases.ts';
import type { RerankRunDocument } from '../mongo/rerank-documents.ts';
import { randomName } from '../mongo/unique-id.ts';

/**
 * Writes the table as a base under a name that the root has from before the first byte on, so that no sweep takes it. Null
 * when the run is no longer under way.
 */
export async function writeRerankBase(
  context: RankingContext,
  run: RerankRunDocument,
  table: YieldTable,
): Promise<BaseHeader | null> {
  const { stores, clock, reach } = context;
  const named = await nameBase(context, run._id);
  if (named === null) return null;
  await reach('rerank.base_named');
  const built = await inTurns(buildSteps(table.toArray()));
  const { id, version, hour } = named;
  const facts = { version, tip: id, hour, methodology: run.methodology };
  await stores.parts.writeBase(id, built, { ...facts, created_at: new Date(clock()) });
  await reach('rerank.base_written');
  await stores.parts.writePages(id, built);
  await reach('rerank.pages_written');
  return { id, ...facts, slots: built.slots, directories: built.directories };
}

async function nameBase({ stores }: RankingContext, run: string) {
  for (;;) {
    const root = await stores.board.read();
    if (root?.rerank?.run !== run) return null;
    const id = `rerank-${root.version}-${randomName()}`;
    const advanced = await stores.board.advance(root, { rerank: { ...root.rerank, base: id } });
    if (advanced !== null) return { id, version: advanced.version, hour: advanced.hour };
  }
}
