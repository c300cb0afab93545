import type { Cost, PopulationEnd, PopulationProcess, Work } from './population-process.ts';

/** Commits before those that count, for the code to be compiled and the table of Yields to be read. */
const WARM_UP_COMMITS = 5;
const COMPACTIONS = 3;
/** One takes from 90 to 260 ms in a large field, by what the database has in memory: their median needs many. */
const SWEEPS = 15;

/** What commits and compactions of one field cost. */
export interface PopulationCosts extends PopulationEnd {
  readonly operators: number;
  readonly commits: readonly Cost[];
  readonly compactions: readonly Cost[];
  /** Sweeps that each delete one base and what else a compaction leaves. */
  readonly garbageCollections: readonly Cost[];
  /** Parts that a sweep deleted, on average. */
  readonly collectedParts: number;
}

/** Fields by turns: the next turn goes the other way, so that none always follows the largest one's work. */
function inTurns<Population>(populations: readonly Population[]): () => readonly Population[] {
  let turn = 0;
  return () => (turn++ % 2 === 0 ? populations : populations.toReversed());
}

/** Measures fields in turns, piece of work by piece of work, so that all meet the machine alike. They share one MongoDB. */
export async function measurePopulations(
  populations: readonly PopulationProcess[],
  commits: number,
): Promise<readonly PopulationCosts[]> {
  const all = populations.map((population) => ({
    population,
    commits: [] as Cost[],
    compactions: [] as Cost[],
    garbageCollections: [] as Work[],
  }));
  const turn = inTurns(all);
  for (let round = 0; round < COMPACTIONS; round++) {
    for (let commit = -WARM_UP_COMMITS; commit < commits / COMPACTIONS; commit++) {
      for (const { population, commits: costs } of turn()) {
        const { cost } = await population.work('commit');
        if (commit >= 0) costs.push(cost);
      }
    }
    for (const { population, compactions } of turn()) compactions.push((await population.work('compact')).cost);
  }
  // What the rounds above left is swept first, and counts for nothing.
  for (const { population } of all) await population.work('collectGarbage');
  for (let round = 0; round < SWEEPS; round++) {
    for (const { population, garbageCollections } of turn())
      garbageCollections.push(await population.work('collectGarbage'));
  }
  const measured: PopulationCosts[] = [];
  for (const { population, garbageCollections, ...costs } of all) {
    const collectedParts = garbageCollections.reduce((sum, { parts }) => sum + parts, 0) / SWEEPS;
    const { operators } = population;
    measured.push({
      operators,
      ...costs,
      garbageCollections: garbageCollections.map(({ cost }) => cost),
      collectedParts,
      ...(await population.end()),
    });
  }
  return measured;
}
