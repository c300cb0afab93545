import type { RankingContext } from '../context.ts';
import { buildSteps, type YieldTable } from '../core/board/index.ts';
import { runCooperatively } from '../run-cooperatively.ts';
import type { BaseRunHeader } from '../storage/base-runs.ts';
import type { RerankRunDocument } from '../storage/rerank-documents.ts';
import { randomId } from '../storage/unique-id.ts';

/**
 * Writes the table as a base under a name that the root has from before the first byte on, so that no sweep takes it. Null
 * when the run is no longer under way.
 */
export async function writeRerankBase(
  context: RankingContext,
  run: RerankRunDocument,
  table: YieldTable,
): Promise<BaseRunHeader | null> {
  const { stores, clock, failpoint } = context;
  const named = await nameBase(context, run._id);
  if (named === null) return null;
  await failpoint('rerank.base_recorded');
  const built = await runCooperatively(buildSteps(table.toArray()));
  const { id, version, hour } = named;
  const facts = { version, lastSegment: id, hour, methodology: run.methodology };
  await stores.parts.writeBaseRun(id, built, { ...facts, created_at: new Date(clock()) });
  await failpoint('rerank.base_written');
  await stores.parts.writePages(id, built);
  await failpoint('rerank.pages_written');
  return { id, ...facts, slots: built.slots, directories: built.directories };
}

async function nameBase({ stores }: RankingContext, run: string) {
  for (;;) {
    const manifest = await stores.board.read();
    if (manifest?.rerank?.run !== run) return null;
    const id = `rerank-${manifest.version}-${randomId()}`;
    const advanced = await stores.board.advance(manifest, { rerank: { ...manifest.rerank, base: id } });
    if (advanced !== null) return { id, version: advanced.version, hour: advanced.hour };
  }
}
