import type { RankingContext } from '../context.ts';
import {
  DAILY_DAYS,
  dayOf,
  emptyStanding,
  factsOf,
  firstHourOf,
  foldStanding,
  HOUR_MS,
  hourOf,
  type UsageFact,
} from '../core/standing/index.ts';
import { countedEntries, factsByOperator } from './counted-facts.ts';
import { CarryDamaged } from './standings-from-log.ts';

/** Entries of the log taken by one round. */
const ENTRIES_A_ROUND = 1_000;
/** A snapshot may be true for a moment this far ahead of the one at which it was received. */
const AHEAD_MS = 10 * 60_000;

/**
 * Lets snapshots go that no window can tell apart any more: those received before the oldest daily mark. What they came to
 * is added to their operator's carry mark first, so that its totals can be told from the log and the mark at any time.
 * Safe to repeat and to run in several processes at once. Answers how many entries went.
 */
export async function retainLog(context: RankingContext): Promise<number> {
  const { stores, clock, report } = context;
  const hour = hourOf(clock());
  const until = firstHourOf(dayOf(hour) - DAILY_DAYS) * HOUR_MS - AHEAD_MS;
  let gone = 0;
  for (let after = ''; ; ) {
    const entries = await stores.operatorLog.oldest(after, until, ENTRIES_A_ROUND);
    // Entries without a verdict stay where the reconciler finds them.
    const settled = (await countedEntries(context, entries)).filter(({ decided }) => decided);
    for (const [operator, facts] of factsByOperator(settled)) await carry(context, operator, facts, until, hour);
    await stores.operatorLog.remove(settled.map(({ kept }) => kept.id));
    gone += settled.length;
    await forgetVerdicts(context, [...new Set(settled.map(({ kept }) => kept.group))]);
    const last = entries.at(-1);
    if (last === undefined || entries.length < ENTRIES_A_ROUND) break;
    // A group is larger than what one round may have left of it: what follows begins with the group itself.
    after = entries.findLast(({ group }) => group !== last.group)?.group ?? last.group;
  }
  if (gone > 0) report.carried(gone);
  return gone;
}

/** Adds facts to an operator's carry mark. Throws CarryDamaged, and the entries stay in the log then. */
async function carry(
  { stores }: RankingContext,
  operator: number,
  facts: readonly UsageFact[],
  until: number,
  hour: number,
): Promise<void> {
  for (;;) {
    if ((await stores.operators.stamp(operator)) === null) return;
    const found = await stores.carries.find(operator);
    if (found.kind === 'damaged') throw new CarryDamaged(operator);
    const former = found.kind === 'carry' ? found.carry : { until: 0, facts: [] };
    const { standing } = foldStanding(emptyStanding(hour), [...former.facts, ...facts], hour);
    const next = { until: Math.max(former.until, until), facts: factsOf(standing) };
    if (await stores.carries.replace(operator, found.kind === 'carry' ? found.checksum : null, next)) return;
  }
}

/** Forgets the verdicts of groups that have no entries any more. */
async function forgetVerdicts({ stores }: RankingContext, groups: readonly string[]): Promise<void> {
  if (groups.length === 0) return;
  const kept = await stores.operatorLog.groupsAmong(groups);
  await stores.verdicts.forget(groups.filter((group) => !kept.has(group)));
}
