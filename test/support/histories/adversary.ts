import { DAY_MS, HOUR_MS } from '../../../config/units.ts';
import { countsAt } from '../../../engine/contract/signing/index.ts';
import { FLAGGING, NO_ASSERTIONS } from '../../../engine/integrity/index.ts';
import type { OperatorState } from '../../../engine/ranking/core/operator-state/index.ts';
import { scoreRecord } from '../../../engine/ranking/core/score-record.ts';
import type { Methodology } from '../../../engine/ranking/methodologies/methodology.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { bySubmission, type History, PRESENT, type Submission } from './history.ts';
import { replay } from './replay.ts';
import { SOURCE_MODELS } from './source-models.ts';

const DAYS = 30;
/** Totals are submitted hourly in these last days, and daily before. */
const HOURLY_DAYS = 3;
/** Moments at which a step of the search is looked at. */
const MOMENTS = 12;

/** What an adversary chooses. Growth is of all streams in a day; numbers change by factors. */
interface Plan {
  readonly platform: string;
  readonly input: number;
  readonly leverage: number;
  readonly velocity: number;
  readonly writes: number;
  /** The factor by which input grows from each day to the next. */
  readonly inputGrowth: number;
  readonly streams: number;
  readonly epochs: number;
  /** How many times its input a former epoch had. */
  readonly erased: number;
}

const NUMBERS = ['input', 'leverage', 'velocity', 'writes', 'inputGrowth', 'erased'] as const;

/** The submissions of a plan, with growth that never repeats its proportions. */
function submissionsOf(plan: Plan, random: SeededRandom): Submission[] {
  const made: Submission[] = [];
  for (let stream = 0; stream < plan.streams; stream++) {
    const sums = [0, 0, 0, 0];
    for (let daysAgo = DAYS; daysAgo > -1e-9; daysAgo -= daysAgo > HOURLY_DAYS + 1e-9 ? 1 : 1 / 24) {
      const share = (daysAgo > HOURLY_DAYS - 1e-9 ? 1 : 1 / 24) / plan.streams;
      const input = plan.input * plan.inputGrowth ** (DAYS - daysAgo) * share;
      const growth = [input, input * plan.velocity, input * plan.leverage, input * plan.writes];
      growth.forEach((grown, field) => {
        sums[field] = sums[field]! + Math.max(1, Math.round(grown * (0.9 + 0.2 * random.next())));
      });
      const epoch = Math.min(plan.epochs, Math.floor(((DAYS - daysAgo) / DAYS) * (plan.epochs + 1)));
      const factor = epoch < plan.epochs ? plan.erased : 1;
      const counts = countsAt([Math.round(sums[0]! * factor), ...sums.slice(1)]);
      const at = Math.round((PRESENT - daysAgo * DAY_MS) / HOUR_MS) * HOUR_MS;
      made.push({ at, asOf: at, stream: `adversary-${stream}`, platform: plan.platform, epoch, counts });
    }
  }
  return made.sort(bySubmission);
}

const historyOf = (plan: Plan, random: SeededRandom): History => ({
  kind: 'adversary',
  source: plan.platform,
  submissions: submissionsOf(plan, random),
  honest: false,
  beyond: null,
});

/** The Yield of all time at the end; null when any window is flagged at any of the moments, or it is not ranked. */
function unflaggedYield(history: History, methodology: Methodology, moments?: number): number | null {
  let last: OperatorState | null = null;
  for (const state of replay(history, moments)) {
    const results = scoreRecord({ totals: state.totals, assertions: NO_ASSERTIONS }, methodology);
    if (results.some(({ mask }) => (mask & FLAGGING) !== 0)) return null;
    last = state;
  }
  if (last === null) return null;
  return scoreRecord({ totals: last.totals, assertions: NO_ASSERTIONS }, methodology)[0]!.score?.yield_ ?? null;
}

function changed(plan: Plan, random: SeededRandom): Plan {
  const kind = random.integer(0, 9);
  if (kind === 0) return { ...plan, platform: random.pick(SOURCE_MODELS).platform };
  if (kind === 1) return { ...plan, streams: random.integer(1, 4) };
  if (kind === 2) return { ...plan, epochs: random.integer(0, 2) };
  const number = random.pick(NUMBERS);
  const by = Math.exp((random.next() - 0.5) * random.pick([0.02, 0.2, 2]));
  const value = plan[number] * (number === 'inputGrowth' ? by ** 0.02 : by);
  return { ...plan, [number]: number === 'erased' ? Math.max(1, value) : value };
}

/**
 * Raises the Yield of all time as far as no window is flagged at any hour of 30 days: hill climbing with so many steps, from an
 * honest operator's ratios. Returns the plan and its Yield.
 */
export function searchAdversary(random: SeededRandom, methodology: Methodology, steps: number) {
  let best: Plan = {
    platform: 'claude-code',
    input: 2_000,
    leverage: 1_000,
    velocity: 20,
    writes: 40,
    inputGrowth: 1,
    streams: 1,
    epochs: 0,
    erased: 1,
  };
  let most = unflaggedYield(historyOf(best, random), methodology) ?? 0;
  for (let step = 0; step < steps; step++) {
    let plan = changed(best, random);
    if (random.next() < 0.5) plan = changed(plan, random);
    const history = historyOf(plan, random);
    const yield_ = unflaggedYield(history, methodology, MOMENTS);
    if (yield_ === null || yield_ <= most) continue;
    // Few plans come this far: looked at in every hour.
    if (unflaggedYield(history, methodology) === null) continue;
    [best, most] = [plan, yield_];
  }
  return { plan: best, yield_: most };
}
