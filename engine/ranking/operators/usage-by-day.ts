import { COUNT_FIELDS, type Counts, countsAt } from '../../contract/signing/index.ts';
import type { RankingContext } from '../context.ts';
import { dayOf, firstHourOf, valueBefore } from '../core/operator-state/index.ts';

/** An operator's counts over all time at the end of a UTC day, given as its number since the epoch. */
export interface UsageAtDay extends Counts {
  readonly day: number;
}

/** The counts at the end of each day that has a sample, ascending; empty for an operator without samples, or none at all. */
export async function usageByDay({ stores }: RankingContext, operator: number): Promise<readonly UsageAtDay[]> {
  const loaded = (await stores.operators.operatorStates([operator])).get(operator);
  if (loaded === undefined) return [];
  const { streams } = loaded.operatorState;
  const days = new Set(streams.flatMap(({ series }) => [...series.hours].map(dayOf)));
  return [...days]
    .toSorted((a, b) => a - b)
    .map((day) => {
      const until = firstHourOf(day + 1);
      const sums = COUNT_FIELDS.map((_, field) =>
        streams.reduce((sum, { series }) => sum + valueBefore(series, until, field), 0),
      );
      return { day, ...countsAt(sums) };
    });
}
