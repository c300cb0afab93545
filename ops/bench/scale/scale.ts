import type { Bench, BenchContext, BenchResult, Figure } from '../bench.ts';
import { median, threeDigits } from '../frame/statistics.ts';
import type { CoreCosts } from './core-costs.ts';
import type { FieldScale } from './field-scale.ts';
import { databaseFor, fillField } from './fill-field.ts';
import { type ComparedCore, measureCores } from './measure-core.ts';
import { measureField } from './measure-field.ts';

/** Boards that history keeps at most: those of 25 hours, and one a day for 100 days. */
const KEPT_BASES = 25 + 100;
const MIB = 1024 * 1024;

/** The service over fields of growing size. */
export const scale: Bench = {
  name: 'scale',
  summary: 'loading, starting, memory and profiles over fields up to a million, and the core over ten million',
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const most = context.option('most', { full: 1_000_000, tiny: 2_000 });
  const least = context.option('least', { full: 10_000, tiny: 2_000 });
  const core = context.option('core', { full: 10_000_000, tiny: 20_000 });
  const sizes = [0];
  for (let operators = least; operators <= most; operators *= 10) sizes.push(operators);
  const fields: FieldScale[] = [];
  const empty = await databaseFor(context, 0);
  await fillField(context, empty, 0);
  for (const operators of sizes) {
    context.say(`${operators} operators`);
    fields.push(await measureField(context, operators, await databaseFor(context, operators), empty));
  }
  const larger: number[] = [];
  for (let operators = least * 10; operators <= core; operators *= 10) larger.push(operators);
  const cores = await measureCores(context, least, larger);
  const costs = [...cores.slice(0, 1).flatMap((first) => first.least.slice(0, 1)), ...cores.map((each) => each.core)];
  reportFields(context, fields);
  reportCore(context, costs);
  return resultOf(fields, costs, cores.at(-1));
}

const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
const mib = (bytes: number): string => `${(bytes / MIB).toFixed(0)} MiB`;

function reportFields(context: BenchContext, fields: readonly FieldScale[]): void {
  context.table('The service over fields of growing size (profiles and findOne: medians, one at a time)', [
    [
      'operators',
      'loaded',
      'worker start',
      'ratio',
      'api start',
      'ratio',
      'worker',
      'api',
      'cold profile',
      'warm',
      'findOne',
    ],
    ...fields.map((field) => [
      String(field.operators),
      `${(field.loadMs / 1_000).toFixed(1)} s`,
      ms(field.workerStartMs),
      field.workerStartRatio.toFixed(2),
      ms(field.apiStartMs),
      field.apiStartRatio.toFixed(2),
      mib(field.workerBytes),
      mib(field.apiBytes),
      ms(field.coldProfileMs),
      ms(field.warmProfileMs),
      ms(field.findOneMs),
    ]),
  ]);
  context.table(`What history keeps: ${KEPT_BASES} bases at most`, [
    ['operators', 'one base', 'on disk', 'all kept', 'all on disk'],
    ...fields.map(({ operators, baseBytes, baseStoredBytes }) => [
      String(operators),
      mib(baseBytes),
      mib(baseStoredBytes),
      mib(baseBytes * KEPT_BASES),
      mib(baseStoredBytes * KEPT_BASES),
    ]),
  ]);
}

function reportCore(context: BenchContext, costs: readonly CoreCosts[]): void {
  context.table('The core alone, in memory, four windows', [
    ['operators', 'sort', 'pages', '1,000 changes', 'mean to compaction', 'with compaction', 'rank', 'memory'],
    ...costs.map((core) => [
      String(core.operators),
      ms(core.sortMs),
      ms(core.pagesMs),
      ms(core.commitMs),
      ms(core.meanCommitMs),
      ms(amortised(core)),
      `${core.rankUs.toFixed(1)} us`,
      mib(core.residentBytes),
    ]),
  ]);
}

/** Milliseconds of a commit with its share of the compaction that it leads to. */
function amortised({ meanCommitMs, sortMs, pagesMs, commitsToCompaction }: CoreCosts): number {
  return meanCommitMs + (sortMs + pagesMs) / commitsToCompaction;
}

function coreFigures(compared: ComparedCore | undefined): readonly Figure[] {
  if (compared === undefined) return [];
  const { core, least } = compared;
  const against = `the same at ${least[0]?.operators ?? 0} operators, before and after`;
  const figure = (name: string, of: (costs: CoreCosts) => number): Figure => ({
    name: `${name} at ${core.operators} operators`,
    value: threeDigits(of(core)),
    unit: 'ms',
    ratio: threeDigits(of(core) / median(least.map(of))),
    against,
  });
  return [
    { ...figure('core of a commit', ({ commitMs }) => commitMs), target: { atMost: 2 } },
    { ...figure('core of a commit, mean over an overlay and its compaction', amortised), target: { atMost: 3 } },
  ];
}

function resultOf(
  fields: readonly FieldScale[],
  costs: readonly CoreCosts[],
  largest: ComparedCore | undefined,
): BenchResult {
  const last = fields.at(-1);
  if (last === undefined) throw new Error('no field was measured');
  const at = `at ${last.operators} operators`;
  const against = (name: string, value: number, peer: number, peerName: string): Figure => ({
    name: `${name} ${at}`,
    value: threeDigits(value),
    unit: 'ms',
    ratio: threeDigits(value / peer),
    against: peerName,
  });
  const start = (name: string, value: number, ratio: number): Figure => ({
    name: `${name} ${at}`,
    value: threeDigits(value),
    unit: 'ms',
    ratio: threeDigits(ratio),
    against: 'an empty start',
    target: { atMost: 1.5 },
  });
  const memory = (name: string, bytes: number, mostMib: number): Figure => ({
    name: `memory of ${name} ${at}`,
    value: Math.round(bytes / MIB),
    unit: 'MiB',
    ratio: threeDigits(bytes / MIB / mostMib),
    against: `${mostMib} MiB`,
    target: { atMost: 1 },
  });
  const figures = [
    { ...against('cold profile', last.coldProfileMs, last.findOneMs, 'one indexed findOne'), target: { atMost: 3 } },
    against('warm profile', last.warmProfileMs, last.findOneMs, 'one indexed findOne'),
    start('worker start', last.workerStartMs, last.workerStartRatio),
    start('api start', last.apiStartMs, last.apiStartRatio),
    memory('worker', last.workerBytes, 500),
    memory('api', last.apiBytes, 250),
    ...coreFigures(largest),
  ];
  const kept = { operators: last.operators, bases: KEPT_BASES, bytes: last.baseBytes * KEPT_BASES };
  return { ...figures[0]!, name: 'scale', figures, details: { fields, core: costs, history: kept } };
}
