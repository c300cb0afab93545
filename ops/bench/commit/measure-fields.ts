import type { Cost, FieldEnd, FieldProcess, Work } from './field-process.ts';

/** Commits before those that count, for the code to be compiled and the table of Yields to be read. */
const WARM_UP_COMMITS = 5;
const COMPACTIONS = 3;
/** One takes from 90 to 260 ms in a large field, by what the database has in memory: their median needs many. */
const SWEEPS = 15;

/** What commits and compactions of one field cost. */
export interface FieldCosts extends FieldEnd {
  readonly operators: number;
  readonly commits: readonly Cost[];
  readonly compactions: readonly Cost[];
  /** Sweeps that each delete one base and what else a compaction leaves. */
  readonly sweeps: readonly Cost[];
  /** Parts that a sweep deleted, on average. */
  readonly sweptParts: number;
}

/** Fields by turns: the next turn goes the other way, so that none always follows the largest one's work. */
function inTurns<Field>(fields: readonly Field[]): () => readonly Field[] {
  let turn = 0;
  return () => (turn++ % 2 === 0 ? fields : fields.toReversed());
}

/** Measures fields in turns, piece of work by piece of work, so that all meet the machine alike. They share one MongoDB. */
export async function measureFields(fields: readonly FieldProcess[], commits: number): Promise<readonly FieldCosts[]> {
  const all = fields.map((field) => ({
    field,
    commits: [] as Cost[],
    compactions: [] as Cost[],
    sweeps: [] as Work[],
  }));
  const turn = inTurns(all);
  for (let round = 0; round < COMPACTIONS; round++) {
    for (let commit = -WARM_UP_COMMITS; commit < commits / COMPACTIONS; commit++) {
      for (const { field, commits: costs } of turn()) {
        const { cost } = await field.work('commit');
        if (commit >= 0) costs.push(cost);
      }
    }
    for (const { field, compactions } of turn()) compactions.push((await field.work('compact')).cost);
  }
  // What the rounds above left is swept first, and counts for nothing.
  for (const { field } of all) await field.work('sweep');
  for (let round = 0; round < SWEEPS; round++) {
    for (const { field, sweeps } of turn()) sweeps.push(await field.work('sweep'));
  }
  const measured: FieldCosts[] = [];
  for (const { field, sweeps, ...costs } of all) {
    const sweptParts = sweeps.reduce((sum, { parts }) => sum + parts, 0) / SWEEPS;
    const { operators } = field;
    measured.push({ operators, ...costs, sweeps: sweeps.map(({ cost }) => cost), sweptParts, ...(await field.end()) });
  }
  return measured;
}
