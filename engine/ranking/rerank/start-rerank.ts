import type { RankingContext } from '../context.ts';
import type { ManifestDocument } from '../storage/board-manifest.ts';
import type { RerankKind, RerankRunDocument } from '../storage/reranks.ts';
import { randomId } from '../storage/unique-id.ts';

/** Default number of operators that one job scores: their Yields take 640 KB. */
export const OPERATORS_PER_RANGE = 20_000;

/** Publish the boards under a methodology, or only preview the rank changes. */
export interface RerankRequest {
  readonly kind: RerankKind;
  readonly methodology: number;
}

export type RerankStart =
  | { readonly kind: 'started'; readonly run: string }
  /** Another run is running. */
  | { readonly kind: 'busy'; readonly run: string }
  /** The board already uses this methodology. */
  | { readonly kind: 'current' }
  /** This build does not have the methodology. */
  | { readonly kind: 'unknown' };

/**
 * Starts a re-rank: from the version that this publishes on, the catch-up log has the operators of all commits. The jobs for
 * its ranges are created by `superviseRerank`.
 */
export async function startRerank(context: RankingContext, request: RerankRequest): Promise<RerankStart> {
  const { stores, methodologies, failpoint } = context;
  if (!methodologies.has(request.methodology)) return { kind: 'unknown' };
  for (;;) {
    const manifest = await stores.board.read();
    if (manifest === null) throw new Error('there is no board yet: start a worker first');
    const refusal = refusalOf(manifest, request);
    if (refusal !== null) return refusal;
    // Read the manifest before the count: a later operator is published by a later version, which the catch-up log covers.
    const run = await describeRun(context, request, manifest.methodology);
    await stores.rerankRuns.create(run);
    await failpoint('rerank.described');
    const rerank = { run: run._id, version: manifest.version + 1, base: null };
    if ((await stores.board.advance(manifest, { rerank })) === null) {
      await stores.rerankRuns.remove(run._id);
      continue;
    }
    await failpoint('rerank.begun');
    return { kind: 'started', run: run._id };
  }
}

function refusalOf({ rerank, methodology }: ManifestDocument, request: RerankRequest): RerankStart | null {
  if (rerank !== undefined && rerank !== null) return { kind: 'busy', run: rerank.run };
  return methodology === request.methodology ? { kind: 'current' } : null;
}

async function describeRun(
  { stores, clock, rangeOperators }: RankingContext,
  { kind, methodology }: RerankRequest,
  from: number,
): Promise<RerankRunDocument> {
  const operators = (await stores.operators.highestNumber()) ?? 0;
  return {
    _id: randomId(),
    kind,
    methodology,
    from,
    state: 'running',
    operators,
    range_operators: rangeOperators,
    ranges: Math.ceil((operators + 1) / rangeOperators),
    flow: 0,
    started_at: new Date(clock()),
    ended_at: null,
    error: null,
    report: null,
  };
}
