import { mean } from '../frame/statistics.ts';
import type { TaskProcess } from '../frame/task-process.ts';
import type { Cost, PopulationTasks } from './commit-main.ts';

/** A population in a separate database, with a committer in a separate process. */
export interface PopulationProcess extends TaskProcess<PopulationTasks> {
  readonly operators: number;
}

/** Unmeasured commits, during which code is compiled and the table of Yields is read. */
const WARM_UP_COMMITS = 5;
const COMPACTIONS = 3;
/** One takes from 90 to 260 ms in a large population, depending on the database's cache: a median needs many. */
const COLLECTIONS = 15;

/** Costs of commits, compactions and garbage collections of one population. */
export type PopulationCosts = Awaited<ReturnType<typeof measurePopulations>>[number];

/** Alternates the order of populations in each round, so that none always follows the largest one. */
function alternateOrder<Population>(populations: readonly Population[]): () => readonly Population[] {
  let round = 0;
  return () => (round++ % 2 === 0 ? populations : populations.toReversed());
}

/** Measures populations alternately, so that changes of the machine's load affect all alike. They share one MongoDB. */
export async function measurePopulations(populations: readonly PopulationProcess[], commits: number) {
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
        const cost = await population.request('commit', undefined);
        if (commit >= 0) costs.push(cost);
      }
    }
    for (const { population, compactions } of nextRound())
      compactions.push(await population.request('compact', undefined));
  }
  // The first collection removes the parts of the rounds above and is not measured.
  for (const { population } of all) await population.request('collectGarbage', undefined);
  for (let round = 0; round < COLLECTIONS; round++) {
    for (const { population, garbageCollections } of nextRound())
      garbageCollections.push(await population.request('collectGarbage', undefined));
  }
  return Promise.all(
    all.map(async ({ population, garbageCollections, ...costs }) => ({
      operators: population.operators,
      ...costs,
      /** Garbage collections that each delete one base run and other parts left by a compaction. */
      garbageCollections: garbageCollections.map(({ cost }) => cost),
      /** Mean number of parts that a garbage collection deleted. */
      collectedParts: mean(garbageCollections.map(({ parts }) => parts)),
      ...(await population.request('end', undefined)),
    })),
  );
}
