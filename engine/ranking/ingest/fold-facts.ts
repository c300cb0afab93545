import type { RankingContext } from '../context.ts';
import { type FactOutcome, foldStanding, type Standing, type UsageFact } from '../core/standing/index.ts';
import type { StandingWrite } from '../mongo/standing-writer.ts';
import { type LoadedStandings, loadStandings } from './load-standings.ts';

/** Rounds in which lost races are tried again before the group is given back to the queue. */
const MAX_ROUNDS = 20;

/** The operators' records moved on in every round. Nobody's fault: another run will do. */
export class RacesLost extends Error {}

/** What folding an operator's facts came to; `gone` when there is no such operator (any more). */
export type FoldResult =
  | { readonly kind: 'folded'; readonly standing: Standing; readonly outcomes: readonly FactOutcome[] }
  | { readonly kind: 'gone' };

/**
 * Folds facts into the operators' standings at `hour` or later and writes what changed, each on the revision it was read at;
 * whoever loses a race is read and folded again. A caller who would not come again to list them gives `amendedAt`, the
 * moment of the writes. Throws RacesLost when races do not end.
 */
export async function foldFacts(
  context: RankingContext,
  facts: ReadonlyMap<number, readonly UsageFact[]>,
  hour: number,
  amendedAt: Date | null = null,
): Promise<Map<number, FoldResult>> {
  const results = new Map<number, FoldResult>();
  let open = [...facts.keys()];
  for (let round = 0; open.length > 0; round++) {
    if (round === MAX_ROUNDS) throw new RacesLost(`${open.length} operators lost every race for their record`);
    const loaded = await loadStandings(context.stores.operators, context.standings, open);
    await context.reach('fold.loaded');
    const { writes, unmoved } = foldRound(open, facts, loaded, hour, results);
    open = [...(await writeRound(context, writes, amendedAt)), ...(await movedMeanwhile(context, unmoved))];
  }
  return results;
}

interface FoldedRound {
  readonly writes: StandingWrite[];
  /** Operators for whom there is nothing to write, as far as this process remembers, with the revision it remembers. */
  readonly unmoved: readonly (readonly [operator: number, revision: string])[];
}

function foldRound(
  open: readonly number[],
  facts: ReadonlyMap<number, readonly UsageFact[]>,
  { standings, remembered }: LoadedStandings,
  hour: number,
  results: Map<number, FoldResult>,
): FoldedRound {
  const writes: StandingWrite[] = [];
  const unmoved: [operator: number, revision: string][] = [];
  for (const operator of open) {
    const known = standings.get(operator);
    if (known === undefined) {
      results.set(operator, { kind: 'gone' });
      continue;
    }
    const { standing, outcomes } = foldStanding(known.standing, facts.get(operator) ?? [], hour);
    results.set(operator, { kind: 'folded', standing, outcomes });
    if (standing !== known.standing) writes.push({ operator, from: known.revision, standing });
    else if (remembered.has(operator)) unmoved.push([operator, known.revision]);
  }
  return { writes, unmoved };
}

/**
 * Those of the operators whose remembered revision is not the present one. What is remembered may be of a write that the
 * store lost in a crash: then nothing to write would be the loss of what is folded.
 */
async function movedMeanwhile({ stores, standings }: RankingContext, unmoved: FoldedRound['unmoved']) {
  if (unmoved.length === 0) return [];
  const present = await stores.operators.revisions(unmoved.map(([operator]) => operator));
  const moved = unmoved.flatMap(([operator, revision]) => (present.get(operator) === revision ? [] : [operator]));
  for (const operator of moved) standings.delete(operator);
  return moved;
}

/** Writes, and answers the operators whose race was lost. */
async function writeRound(
  { stores, standings }: RankingContext,
  writes: StandingWrite[],
  amendedAt: Date | null,
): Promise<number[]> {
  if (writes.length === 0) return [];
  const written = await stores.writeStandings(writes, amendedAt);
  const lost: number[] = [];
  for (const { operator, standing } of writes) {
    const revision = written.get(operator);
    if (revision === undefined) {
      standings.delete(operator);
      lost.push(operator);
    } else {
      standings.set(operator, { revision, standing });
    }
  }
  return lost;
}
