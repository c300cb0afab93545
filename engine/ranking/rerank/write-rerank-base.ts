import type { RankingContext } from '../context.ts';
import { buildBaseRunCooperatively, type YieldTable } from '../core/board/index.ts';
import { runCooperatively } from '../run-cooperatively.ts';
import type { BaseRunHeader } from '../storage/base-runs.ts';
import type { RerankRunDocument } from '../storage/reranks.ts';
import { randomId } from '../storage/unique-id.ts';

/**
 * Writes the table as a base run. Its id is in the manifest before the first write, so that garbage collection keeps it.
 * Null when the run is no longer current.
 */
export async function writeRerankBase(
  context: RankingContext,
  run: RerankRunDocument,
  table: YieldTable,
): Promise<BaseRunHeader | null> {
  const { stores, clock, failpoint } = context;
  const reserved = await reserveBaseId(context, run._id);
  if (reserved === null) return null;
  await failpoint('rerank.base_recorded');
  const built = await runCooperatively(buildBaseRunCooperatively(table.toArray()));
  const { id, version, hour } = reserved;
  const facts = { version, lastSegment: id, hour, methodology: run.methodology };
  await stores.parts.writeBaseRun(id, built, { ...facts, created_at: new Date(clock()) });
  await failpoint('rerank.base_written');
  await stores.parts.writePages(id, built);
  await failpoint('rerank.pages_written');
  return { id, ...facts, slots: built.slots, directories: built.directories };
}

async function reserveBaseId({ stores }: RankingContext, run: string) {
  for (;;) {
    const manifest = await stores.board.read();
    if (manifest?.rerank?.run !== run) return null;
    const id = `rerank-${manifest.version}-${randomId()}`;
    const advanced = await stores.board.advance(manifest, { rerank: { ...manifest.rerank, base: id } });
    if (advanced !== null) return { id, version: advanced.version, hour: advanced.hour };
  }
}
