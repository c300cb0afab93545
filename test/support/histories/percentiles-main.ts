import { DAY_MS, HOUR_MS } from '../../../config/units.ts';
import { COUNT_FIELDS, type Counts, countsAt } from '../../../engine/contract/signing/index.ts';
import { seededRandom } from '../seeded-random.ts';
import { bySubmission, type History, mapCounts, type Submission, zero } from './history.ts';
import { anySession, honestHistories } from './honest.ts';
import { HONEST_KINDS, usualHabit } from './honest-kinds.ts';
import { drawModel } from './sessions.ts';
import { SOURCE_MODELS } from './source-models.ts';

// percentiles-main.ts [HISTORIES] [SEED]: prints percentiles of honest histories, as tables in Markdown.

const SHARES = [0.5, 0.99, 0.999];
const VOLUMES = [1e5, 2.5e5, 5e5, 1e6];
const MIN_INPUTS = [0, 500, 1_000, 2_000];
const BATCH = 1_000;

/** Values by the name of what they measure, then by row. */
const measured = new Map<string, Map<string, number[]>>();

function measure(name: string, rows: readonly string[], value: number): void {
  if (!Number.isFinite(value)) return;
  const own = measured.get(name) ?? new Map<string, number[]>();
  measured.set(name, own);
  for (const row of rows) {
    const values = own.get(row) ?? [];
    own.set(row, values);
    values.push(value);
  }
}

const sum = (counts: Counts): number => COUNT_FIELDS.reduce((total, field) => total + counts[field], 0);
const yieldOf = ({ input, output, cache_read }: Counts): number => (cache_read * output) / input ** 2;

/** The readings of each ledger's highest epoch, by their times. */
function ledgersOf({ submissions }: History): Submission[][] {
  const ledgers = new Map<string, Submission[]>();
  for (const each of submissions) {
    const key = `${each.stream} ${each.platform}`;
    ledgers.set(key, [...(ledgers.get(key) ?? []).filter(({ epoch }) => epoch >= each.epoch), each]);
  }
  return [...ledgers.values()].map((own) =>
    own.sort((left, right) => left.asOf - right.asOf || bySubmission(left, right)),
  );
}

/** The most that a count grows between two readings at most so long apart; undefined without such. */
function maxGrowth(ledger: readonly Submission[], span: number, count: (counts: Counts) => number): number {
  let [most, from] = [Number.NaN, 0];
  for (const [index, { asOf, counts }] of ledger.entries()) {
    while (asOf - ledger[from]!.asOf > span) from++;
    if (from < index) most = Math.max(Number.isNaN(most) ? 0 : most, count(counts) - count(ledger[from]!.counts));
  }
  return most;
}

function measureHistory(history: History): void {
  const rows = [history.source, 'all'];
  const ledgers = ledgersOf(history);
  const total = ledgers
    .map((ledger) => ledger.at(-1)!.counts)
    .reduce((left, right) => mapCounts(left, (count, field) => count + right[field]), zero);
  measure('leverage', rows, total.cache_read / total.input);
  measure('velocity', rows, total.output / total.input);
  measure('Yield', rows, yieldOf(total));
  measure('reads / (writes + input)', rows, total.cache_read / (total.cache_write + total.input));
  for (const ledger of ledgers) {
    const own = [ledger[0]!.platform, 'all'];
    for (const [name, span] of [
      ['hour', 1.25 * HOUR_MS],
      ['day', 1.05 * DAY_MS],
    ] as const) {
      measure(
        `output ${name}`,
        own,
        maxGrowth(ledger, span, ({ output }) => output),
      );
      measure(`tokens ${name}`, own, maxGrowth(ledger, span, sum));
    }
  }
}

/** Compares an operator's Yield after its first `volume` tokens with that after ten times as many. */
function measureEarlyYield(seed: number): void {
  const random = seededRandom(seed);
  const habit = { ...usualHabit(random), ...random.pick(Object.values(HONEST_KINDS))(random) };
  const model = drawModel(random, random.pick(SOURCE_MODELS), habit.model);
  const volumes = [...new Set(VOLUMES.flatMap((volume) => [volume, volume * 10]))].sort((left, right) => left - right);
  const totals = new Map<number, Counts>();
  for (let done = zero; totals.size < volumes.length; ) {
    const before = done;
    const { counts } = anySession(random, model, habit);
    for (let at = 0; at < counts.length; at += 4) {
      const session = countsAt(counts, at);
      done = mapCounts(before, (count, field) => count + session[field]);
      for (const volume of volumes) if (!totals.has(volume) && sum(done) >= volume) totals.set(volume, done);
    }
  }
  for (const volume of VOLUMES) {
    const early = totals.get(volume)!;
    const ratio = yieldOf(early) / yieldOf(totals.get(volume * 10)!);
    for (const least of MIN_INPUTS.filter((input) => early.input >= input)) {
      const row = [`V = ${volume}, input at least ${least}`];
      measure('early / late', row, ratio);
      measure('late / early', row, 1 / ratio);
    }
  }
}

function printTable(names: readonly string[]): void {
  const rows = [...measured.get(names[0]!)!.keys()].sort((left, right) =>
    left.localeCompare(right, 'en', { numeric: true }),
  );
  console.log(`\n| | ${names.map((name) => `${name} (50 / 99 / 99.9 %)`).join(' | ')} | n |`);
  console.log(`|---|${names.map(() => '---|').join('')}---|`);
  for (const row of rows) {
    const cells = names.map((name) => {
      const values = Float64Array.from(measured.get(name)!.get(row) ?? []).sort();
      const shares = SHARES.map((share) => values[Math.floor(share * values.length)] ?? Number.NaN);
      return shares.map((value) => (value >= 1e4 ? value.toExponential(1) : value.toPrecision(3))).join(' / ');
    });
    console.log(`| ${row} | ${cells.join(' | ')} | ${measured.get(names[0]!)!.get(row)!.length} |`);
  }
}

const [count, seed] = [Number(process.argv[2] ?? 1_000), Number(process.argv[3] ?? 1)];
for (let done = 0; done < count; done += BATCH) {
  for (const history of honestHistories(seed + done, Math.min(BATCH, count - done))) measureHistory(history);
}
for (let index = 0; index < count; index++) measureEarlyYield(seed + index);
printTable(['leverage', 'velocity', 'Yield', 'reads / (writes + input)']);
printTable(['output hour', 'tokens hour', 'output day', 'tokens day']);
printTable(['early / late', 'late / early']);
