import { countsAt } from '../../../engine/contract/signing/index.ts';
import { WINDOW_SPECS } from '../../../engine/contract/windows.ts';
import { maskUnder, RULE_SETS, statisticsOf, WINDOW_NUMBERS } from '../../../engine/integrity/index.ts';
import {
  applySamples,
  emptyState,
  type OperatorState,
  type UsageSample,
} from '../../../engine/ranking/core/operator-state/index.ts';
import { windowStarts, writeStatistics } from '../../../engine/ranking/core/operator-state/window-statistics.ts';
import { alternate } from '../frame/alternate.ts';
import { type Bench, type BenchContext, type BenchResult, figure } from '../frame/bench.ts';
import { median } from '../frame/statistics.ts';

/** The hour of all states. */
const HOUR = 490_010;

/** How often each state is worked on in one measurement. */
const REPETITIONS = 20;

/** The rules of the newest set over states of operators, beside applying a sample to each of them. */
export const rules: Bench = {
  name: 'rules',
  summary: 'evaluating the rules of integrity and their statistics against applying a sample to the same states',
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const { operators, rounds } = context.options({ operators: [500, 10], rounds: [41, 1] });
  const states = Array.from({ length: operators }, (_, index) =>
    growState(1 + (index % 60), 1 + (index % 8), 1 + (index % 3)),
  );
  const maskOf = maskUnder([...RULE_SETS.values()].at(-1) ?? null);
  const work = {
    apply: ({ operatorState, next }: Grown) => applySamples(operatorState, [next], HOUR),
    rules({ operatorState: { totals } }: Grown) {
      const statistics = statisticsOf(totals);
      for (const window of WINDOW_SPECS.keys()) maskOf(totals, statistics, window * WINDOW_NUMBERS, true, 0, 0);
    },
    statistics: ({ operatorState: { streams, platforms, totals } }: Grown) =>
      writeStatistics(streams, windowStarts(HOUR), platforms, totals),
  };
  const contestants = Object.entries(work).map(([name, one]) => ({
    name,
    measure: () => Promise.resolve(microsecondsOf(() => states.forEach(one)) / operators),
  }));
  await alternate(contestants, Math.min(rounds, 3));
  const taken = await alternate(contestants, rounds);
  const us = (name: keyof typeof work): number => median(taken.get(name) ?? []);
  const share = (name: keyof typeof work): number =>
    median((taken.get(name) ?? []).map((spent, round) => spent / taken.get('apply')![round]!));
  const steps = median(states.map(({ operatorState }) => stepsOf(operatorState)));
  context.table(`CPU time of one state (of ${operators}, ${steps} stored samples in the median)`, [
    ['work', 'us', 'of applying'],
    ...(['apply', 'rules', 'statistics'] as const).map((name) => [name, us(name).toFixed(2), share(name).toFixed(3)]),
  ]);
  const against = 'applying a sample to the same states, statistics included';
  const figures = [
    figure('evaluating the rules of four windows', us('rules'), 'us', share('rules'), against, { atMost: 0.05 }),
    figure('the statistics that rules read', us('statistics'), 'us', share('statistics'), against),
  ];
  return { ...figures[0]!, name: 'rules', figures, details: { operators, steps } };
}

interface Grown {
  readonly operatorState: OperatorState;
  /** A sample that changes it. */
  readonly next: UsageSample;
}

/** A state that grew for some days, some times a day, on some machines. */
function growState(days: number, samples: number, machines: number): Grown {
  let operatorState = emptyState(HOUR);
  const sampleOf = (machine: number, age: number, place: number): UsageSample => {
    const step = (days - age) * samples + place + 1;
    return {
      ledger: `machine-${machine}`,
      platform: 'claude-code',
      epoch: 1,
      hour: HOUR - age * 24 + place,
      counts: countsAt([step * 3_001, step * 9_001, step * 1_500_001, step * 50_001]),
    };
  };
  for (let machine = 0; machine < machines; machine++) {
    for (let age = days; age > 0; age--) {
      const ofDay = Array.from({ length: samples }, (_, place) => sampleOf(machine, age, place));
      ({ operatorState } = applySamples(operatorState, ofDay, HOUR));
    }
  }
  return { operatorState, next: sampleOf(0, 0, 0) };
}

function stepsOf({ streams }: OperatorState): number {
  return streams.reduce((steps, { series }) => steps + series.hours.length, 0);
}

/** CPU time of this process for each of `REPETITIONS`. */
function microsecondsOf(work: () => void): number {
  const before = process.cpuUsage();
  for (let repetition = 0; repetition < REPETITIONS; repetition++) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / REPETITIONS;
}
