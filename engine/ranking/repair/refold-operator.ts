import type { RankingContext } from '../context.ts';
import { emptyStanding, foldStanding, type Standing } from '../core/standing/index.ts';
import { countedEntries } from './counted-facts.ts';

/** Entries of the log read by one command. */
const ENTRIES_A_READ = 1_000;
/** Refolds begun before giving up: each lost its race for the record. */
const MAX_TRIES = 20;

/** A carry mark is not what was written: what is no longer in the log cannot be told from it. */
export class CarryDamaged extends Error {
  readonly operator: number;

  constructor(operator: number) {
    super(`the carry mark of operator ${operator} is damaged`);
    this.operator = operator;
  }
}

/** What the log and the carry mark make of an operator as seen from `hour`. Throws CarryDamaged. */
export async function standingFromLog(context: RankingContext, operator: number, hour: number): Promise<Standing> {
  const { stores } = context;
  const found = await stores.carries.find(operator);
  if (found.kind === 'damaged') throw new CarryDamaged(operator);
  const carried = found.kind === 'carry' ? found.carry.facts : [];
  let { standing } = foldStanding(emptyStanding(hour), carried, hour);
  for (let after = ''; ; ) {
    const entries = await stores.operatorLog.page(operator, after, ENTRIES_A_READ);
    const facts = (await countedEntries(context, entries)).flatMap(({ fact }) => fact ?? []);
    standing = foldStanding(standing, facts, hour).standing;
    const last = entries.at(-1);
    if (last === undefined || entries.length < ENTRIES_A_READ) return standing;
    after = last.id;
  }
}

/**
 * Puts what the log says in the place of an operator's marks and totals, and lists it for the next commit. Folds that come
 * meanwhile are kept: the record is written only as it was before the log was read. False when the operator is gone.
 */
export async function refoldOperator(context: RankingContext, operator: number): Promise<boolean> {
  const { stores, standings, clock } = context;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const stamp = await stores.operators.stamp(operator);
    if (stamp === null) return false;
    const hour = Math.max(stamp.hour, await stores.board.hour());
    const standing = await standingFromLog(context, operator, hour);
    const list = await stores.changeLists.hold([operator], clock());
    const written = await stores.writeStandings([{ operator, from: stamp.revision, standing }], new Date(clock()));
    standings.delete(operator);
    await stores.changeLists.release(list, clock());
    if (written.has(operator)) return true;
  }
  throw new Error(`operator ${operator} lost every race for its record`);
}
