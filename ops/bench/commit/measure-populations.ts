import type { Cost, PopulationTasks } from './commit-main.ts';
import type { PopulationProcess } from './population-process.ts';

/** Unmeasured commits, during which code is compiled and the table of Yields is read. */
const WARM_UP_COMMITS = 5;
const COMPACTIONS = 3;
/** One takes from 90 to 260 ms in a large population, depending on the database's cache: a median needs many. */
const COLLECTIONS = 15;

/** Costs of commits, compactions and garbage collections of one population. */
export interface PopulationCosts extends Awaited<ReturnType<PopulationTasks['end']>> {
  readonly operators: number;
  readonly commits: readonly Cost[];
  readonly compactions: readonly Cost[];
  /** Garbage collections that each delete one base run and other parts left by a compaction. */
  readonly garbageCollections: readonly Cost[];
  /** Mean number of parts that a garbage collection deleted. */
  readonly collectedParts: number;
}

/** Alternates the order of populations in each round, so that none always follows the largest one. */
function alternateOrder<Population>(populations: readonly Population[]): () => readonly Population[] {
  let round = 0;
  return () => (round++ % 2 === 0 ? populations : populations.toReversed());
}

/** Measures populations alternately, so that changes of the machine's load affect all alike. They share one MongoDB. */
export async function measurePopulations(
  populations: readonly PopulationProcess[],
  commits: number,
): Promise<readonly PopulationCosts[]> {
  const all = populations.map((population) => ({
    population,
    commits: [] as Cost[],
    compactions: [] as Cost[],
    garbageCollections: [] as { readonly cost: Cost; readonly parts: number }[],
  }));
  const nextRound = alternateOrder(all);
  for (let round = 0; round < COMPACTIONS; round++) {
    for (let commit = -WARM_UP_COMMITS; commit < commits / COMPACTIONS; commit++) {
      for (const { population, commits: costs } of nextRound()) {
        const { cost } = await population.request('commit', undefined);
        if (commit >= 0) costs.push(cost);
      }
    }
    for (const { population, compactions } of nextRound())
      compactions.push((await population.request('compact', undefined)).cost);
  }
  // The first collection removes the parts of the rounds above and is not measured.
  for (const { population } of all) await population.request('collectGarbage', undefined);
  for (let round = 0; round < COLLECTIONS; round++) {
    for (const { population, garbageCollections } of nextRound())
      garbageCollections.push(await population.request('collectGarbage', undefined));
  }
  const measured: PopulationCosts[] = [];
  for (const { population, garbageCollections, ...costs } of all) {
    const collectedParts = garbageCollections.reduce((sum, { parts }) => sum + parts, 0) / COLLECTIONS;
    const { operators } = population;
    measured.push({
      operators,
      ...costs,
      garbageCollections: garbageCollections.map(({ cost }) => cost),
      collectedParts,
      ...(await population.request('end', undefined)),
    });
  }
  return measured;
}
