import { DAY_MS } from '../../../config/units.ts';
import { countsAt } from '../../../engine/contract/signing/index.ts';
import type { Quantiles } from '../../../engine/integrity/index.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { type Four, plus, times } from './forge.ts';
import type { Submission } from './history.ts';

/** Yields that somebody wants who has read every rule and the reference. */
const AIMS: Readonly<Record<string, (of: Quantiles) => number>> = {
  'below-p75': ({ p75 }) => 0.9 * p75,
  'below-p90': ({ p90 }) => 0.9 * p90,
  'below-p99': ({ p99 }) => 0.9 * p99,
  'below-3-p99': ({ p99 }) => 2.7 * p99,
  'at-10-p99': ({ p99 }) => 10 * p99,
  'at-100-p99': ({ p99 }) => 100 * p99,
};

/** What counts grow by on a day of the trial, from 0 on, and what a first submission imports. */
interface Plan {
  readonly imports?: Four;
  readonly growth: (day: number) => Four;
}

const PAST_DAYS = 80;
/** By less than this the Yield of a day may fall short of the one that it vouches for. */
const A_THIRD = 2.9;

/** Ways to have the Yield: the claims are the same, the time in which they are made is not. */
const MANNERS: Readonly<Record<string, (aim: number, of: Quantiles, days: number) => Plan>> = {
  daily: (aim) => ({ growth: () => usageOf(aim) }),
  'daily-with-a-past': (aim) => ({ imports: times(usageOf(aim), PAST_DAYS), growth: () => usageOf(aim) }),
  'plain-days-then-all': (aim, { p75 }, days) => ({
    growth: (day) => (day < days / 2 ? usageOf(p75 / 2) : times(usageOf(aim), 1_000)),
  }),
  'by-thirds': (aim, { p75 }, days) => ({
    growth: (day) => {
      const left = days - day;
      return times(usageOf(Math.max(p75 / 2, aim / A_THIRD ** left)), 4 ** Math.max(0, 12 - left));
    },
  }),
  'imported-then-least-days': (aim) => ({
    imports: times(usageOf(aim), 1_000),
    growth: () => usageOf(aim / A_THIRD, 10, 4_000),
  }),
};

export const KNOWING_KINDS = Object.keys(MANNERS).flatMap((manner) => Object.keys(AIMS).map((aim) => [manner, aim]));

/** Counts of a Yield that stay within what arithmetic allows, with at least so much input and so many tokens. */
function usageOf(yield_: number, leastInput = 1_000, leastTokens = 400_000): Four {
  const velocity = Math.min(1e5, yield_ ** 0.4);
  const leverage = yield_ / velocity;
  const input = Math.max(leastInput, leastTokens / (1 + velocity + leverage)) * 1.2;
  return times([input, input * velocity, input * leverage, (input * leverage) / 250], 1);
}

/** Submits once a day, from `start` on. */
export function knowingSubmissions(
  random: SeededRandom,
  [manner, aim]: readonly string[],
  { platform, start, days, of }: { platform: string; start: number; days: number; of: Quantiles },
): Submission[] {
  const { imports, growth } = MANNERS[manner!]!(AIMS[aim!]!(of), of, days);
  const noise = (): number => 0.95 + 0.1 * random.next();
  const place = { stream: 'knowing-ledger', platform, epoch: 0 };
  let sums: Four = imports ?? [0, 0, 0, 0];
  const past = imports && { ...place, at: start, asOf: start - 5 * DAY_MS, counts: countsAt(imports) };
  const daily = Array.from({ length: days + 1 }, (_, day): Submission => {
    const at = start + day * DAY_MS;
    sums = plus(sums, times(growth(day), noise(), noise(), noise(), noise()));
    return { ...place, at, asOf: at, counts: countsAt(sums) };
  });
  return past === undefined ? daily : [past, ...daily];
}
