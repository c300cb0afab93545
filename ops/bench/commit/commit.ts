import { overlayLimit } from '../../../engine/ranking/core/board/index.ts';
import type { Bench, BenchContext, BenchResult, Figure } from '../bench.ts';
import { median, threeDigits } from '../frame/statistics.ts';
import { type FieldProcess, startField } from './field-process.ts';
import { type FieldCosts, measureFields } from './measure-fields.ts';

const COMMITS_AN_HOUR = 3_600;

/** One commit of many changes, over fields of growing size. */
export const commit: Bench = {
  name: 'commit',
  summary: 'a commit of 1,000 changed operators in a large field against the same in a small one',
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const least = context.option('least', { full: 10_000, tiny: 1_000 });
  const most = context.option('most', { full: 1_000_000, tiny: 4_000 });
  const commits = context.option('commits', { full: 45, tiny: 6 });
  const changes = context.option('changes', { full: 1_000, tiny: 100 });
  const processes: FieldProcess[] = [];
  for (let operators = least; operators <= most; operators *= least < 10_000 ? 4 : 10) {
    context.say(`loading ${operators} operators`);
    processes.push(await startField(context, operators, changes));
  }
  context.say('measuring them in turns');
  const fields = await measureFields(processes, commits);
  report(context, fields, changes);
  return resultOf(fields, changes);
}

const wall = (costs: FieldCosts['commits']): number => median(costs.map(({ wallMs }) => wallMs));

/** CPU time is told in ticks of 10 ms: the mean over many commits means more than their median. */
const cpu = (costs: FieldCosts['commits']): number => costs.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / costs.length;

/** Milliseconds of compaction for each commit: whenever the overlay is full, and once an hour. */
function amortised({ operators, compactions }: FieldCosts, changes: number): number {
  const full = overlayLimit(operators);
  const between = operators > full ? Math.min(full / changes, COMMITS_AN_HOUR) : COMMITS_AN_HOUR;
  return wall(compactions) / between;
}

const MIB = 1024 * 1024;
const ms = (value: number): string => `${value.toFixed(1)} ms`;
const mib = (bytes: number): string => `${(bytes / MIB).toFixed(0)} MiB`;

function report(context: BenchContext, fields: readonly FieldCosts[], changes: number): void {
  context.table(`A commit of ${changes} changed operators, medians (CPU: committer and MongoDB, means)`, [
    ['operators', 'commit', 'slowest', 'CPU', 'compaction', 'CPU', 'a commit', 'together', 'field loaded in'],
    ...fields.map((field) => [
      String(field.operators),
      ms(wall(field.commits)),
      ms(Math.max(...field.commits.map(({ wallMs }) => wallMs))),
      ms(cpu(field.commits)),
      ms(wall(field.compactions)),
      ms(cpu(field.compactions)),
      ms(amortised(field, changes)),
      ms(wall(field.commits) + amortised(field, changes)),
      `${(field.seedMs / 1_000).toFixed(1)} s`,
    ]),
  ]);
  context.table('The sweeper after a compaction, and memory after all of it', [
    ['operators', 'sweep', 'parts', 'committer'],
    ...fields.map((field) => [
      String(field.operators),
      ms(wall(field.sweeps)),
      field.sweptParts.toFixed(0),
      mib(field.committerBytes),
    ]),
  ]);
}

function resultOf(fields: readonly FieldCosts[], changes: number): BenchResult {
  const first = fields[0];
  const last = fields.at(-1);
  if (first === undefined || last === undefined) throw new Error('no field was measured');
  const figure = (name: string, cost: (field: FieldCosts) => number, atMost?: number): Figure => ({
    name,
    value: threeDigits(cost(last)),
    unit: 'ms',
    ratio: threeDigits(cost(last) / cost(first)),
    against: `the same at ${first.operators} operators`,
    ...(atMost === undefined ? {} : { target: { atMost } }),
  });
  const figures = [
    figure(`commit at ${last.operators} operators`, (field) => wall(field.commits), 1.5),
    figure('with compaction', (field) => wall(field.commits) + amortised(field, changes), 3),
    figure('commit, CPU time', (field) => cpu(field.commits), 1.5),
    figure('sweep of one base', (field) => wall(field.sweeps)),
  ];
  return { ...figures[0]!, name: 'commit', figures, details: { fields } };
}
