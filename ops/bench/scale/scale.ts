import type { Bench, BenchContext, BenchResult, Figure } from '../bench.ts';
import { growingSizes } from '../frame/growing-sizes.ts';
import { threeDigits } from '../frame/statistics.ts';
import type { FieldScale } from './field-scale.ts';
import { databaseFor, fillField } from './fill-field.ts';
import { measureField } from './measure-field.ts';
import { startOnce } from './measure-starts.ts';

/** Boards that history keeps at most: those of 25 hours, and one a day for 100 days. */
const KEPT_BASES = 25 + 100;
const MIB = 1024 * 1024;

/** The service over fields of growing size. */
export const scale: Bench = {
  name: 'scale',
  summary: 'loading, starting, memory and profiles over fields up to a million',
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const most = context.option('most', { full: 1_000_000, tiny: 2_000 });
  const least = context.option('least', { full: 10_000, tiny: 2_000 });
  const sizes = [0, ...growingSizes(least, most)];
  const fields: FieldScale[] = [];
  const empty = await databaseFor(context, 0);
  await fillField(context, empty, 0);
  await startOnce(context, empty);
  for (const operators of sizes) {
    context.say(`${operators} operators`);
    fields.push(await measureField(context, operators, await databaseFor(context, operators), empty));
  }
  reportFields(context, fields);
  return resultOf(fields);
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

function resultOf(fields: readonly FieldScale[]): BenchResult {
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
  ];
  const kept = { operators: last.operators, bases: KEPT_BASES, bytes: last.baseBytes * KEPT_BASES };
  return { ...figures[0]!, name: 'scale', figures, details: { fields, history: kept } };
}
