import { bitOf, type Checked, type IntegrityFinding, RULES, ruleNamed, rulesIn } from '../../integrity/index.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { scoreRecord } from '../core/score-record.ts';
import { SKETCH_VERSION } from '../core/series-sketch.ts';
import { pauseForIngest } from '../ingest/live-ingest.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { CLOCKS_DIFFER_MS } from '../storage/leases.ts';
import type { LoadedState } from '../storage/operators.ts';
import { recordAt } from '../storage/totals-batch.ts';
import { randomId } from '../storage/unique-id.ts';
import { assertMatches, sketchOperators } from './identical-series.ts';

/** Operators, and log entries, per read. */
const PAGE = 500;
const LEASE = 'integrity';
/** How long others wait after a process dies in it. A page takes much less. */
const LEASE_MS = 120_000;
/** Time for the walk of all operators in one run, so that changes are not delayed for long. */
const WALK_MS = 60_000;

/** Rules that no record asserts: without bounds for them they are not crossed. */
const UNASSERTED = RULES.filter(({ measure }) => measure !== null).map(({ name }) => name);

/** Records all findings of what was checked, so that its other cases close. Has to be repeatable. */
export type RecordFindings = (found: readonly IntegrityFinding[], checked: Checked) => Promise<void>;

/** Ends by itself, so that there is nothing to decide, and no case. */
const RETURNED = bitOf(ruleNamed('returned'));

interface Run {
  readonly context: RankingContext;
  readonly methodology: Methodology;
  readonly boardVersion: number;
  readonly record: RecordFindings;
  /** Renews the lease; throws when another process has acquired it. */
  readonly hold: () => Promise<void>;
}

/**
 * Records what holds or excludes rows of the operators that changed since the last run, and compares their series with those of
 * others. Each operator is checked once under each methodology of the board that has rules, and sketched once, in as many runs as it
 * takes. Safe to repeat.
 */
export async function checkIntegrity(context: RankingContext, record: RecordFindings): Promise<void> {
  const { stores, clock } = context;
  const holder = randomId();
  const until = () => new Date(clock() + LEASE_MS);
  const hold = async () => {
    if (!(await stores.leases.renew(LEASE, holder, until()))) throw new Error('another process maintains integrity');
  };
  if (!(await stores.leases.acquire(LEASE, holder, new Date(clock()), until()))) return;
  try {
    const manifest = await stores.board.read();
    if (manifest === null) return;
    const methodology = methodologyOf(context, manifest);
    const run = { context, methodology, boardVersion: manifest.version, record, hold };
    await checkSubmitters(run);
    await checkAmended(run);
    // Without rules, only what records assert is found. Rules that return check all operators again.
    if (run.methodology.rules === null) {
      await record([], { rules: UNASSERTED });
      await stores.progress.write('integrity.walk', '');
    } else await walk(run, 'integrity.walk', run.methodology.id, check);
    await walk(run, 'integrity.sketches', SKETCH_VERSION, sketch);
    await assertMatches(context, hold);
  } finally {
    await stores.leases.release(LEASE, holder);
  }
}

/** Checks the operators of the batches that were decided since the last run. */
async function checkSubmitters(run: Run): Promise<void> {
  const { progress, log } = run.context.stores;
  const until = await progress.decidedUntil();
  const from = Number((await progress.read('integrity.batches_from')) ?? until);
  // Each once, however often it submitted: what is checked is the record, which has all of these batches.
  const seen = new Set<number>();
  let waiting: number[] = [];
  for await (const submitters of log.operatorsBetween(from, until, PAGE)) {
    waiting.push(...submitters.filter((operator) => !seen.has(operator)));
    for (const operator of submitters) seen.add(operator);
    await run.hold();
    if (waiting.length < PAGE) continue;
    await step(run, waiting, check, sketch);
    waiting = [];
  }
  if (waiting.length > 0) await step(run, waiting, check, sketch);
  await progress.write('integrity.batches_from', String(until));
}

/** Checks the operators whose records changed without a batch, as by an hour that advanced. */
async function checkAmended(run: Run): Promise<void> {
  const { context } = run;
  const { progress, operators } = context.stores;
  const until = context.clock();
  const from = Number((await progress.read('integrity.amended_from')) ?? until);
  for await (const amended of operators.amendedBetween(new Date(from), new Date(until), PAGE)) {
    const numbers = amended.map(({ operator }) => operator);
    await step(run, numbers, check, sketch);
  }
  await progress.write('integrity.amended_from', String(until - CLOCKS_DIFFER_MS));
}

/** Does a work for all operators once in each version of it; continues where the last run stopped. */
async function walk(run: Run, name: string, version: number, work: Work): Promise<void> {
  const { progress, operators } = run.context.stores;
  const [walked, position = 1] = ((await progress.read(name)) ?? '').split(' ').map(Number);
  const started = performance.now();
  const last = (await operators.highestNumber()) ?? 0;
  let from = walked === version ? position : 1;
  while (from < Number.POSITIVE_INFINITY && performance.now() - started < WALK_MS) {
    const numbers = Array.from({ length: PAGE }, (_, index) => from + index);
    await step(run, numbers, work);
    from = from + PAGE > last ? Number.POSITIVE_INFINITY : from + PAGE;
    await progress.write(name, `${version} ${from}`);
    await run.context.failpoint('integrity.walked');
  }
}

type Work = (run: Run, operators: readonly number[], states: ReadonlyMap<number, LoadedState>) => Promise<void>;

/** Does works for a page of operators, pauses for ingest and renews the lease. */
async function step(run: Run, operators: readonly number[], ...works: readonly Work[]): Promise<void> {
  const started = performance.now();
  const states = await run.context.stores.operators.operatorStates(operators);
  for (const work of works) await work(run, operators, states);
  await pauseForIngest(run.context, performance.now() - started);
  await run.hold();
}

const check: Work = async (run, operators) => {
  const { context, methodology, boardVersion, record, hold } = run;
  const batch = await context.stores.operators.totalsOf(operators);
  const found: IntegrityFinding[] = [];
  const checked: number[] = [];
  for (const [index, operator] of batch.operators.entries()) {
    if (batch.listed[index] !== 1) continue;
    checked.push(operator);
    const mask = scoreRecord(recordAt(batch, index), methodology).reduce((sum, window) => sum | window.mask, 0);
    for (const { name, severity } of rulesIn(mask & ~RETURNED))
      found.push({ operator, rule: name, severity, boardVersion });
  }
  await context.failpoint('integrity.records_judged');
  // A process that stalled must not close what another one has found since.
  await hold();
  await record(found, { operators: checked });
  await context.failpoint('integrity.findings_recorded');
};

const sketch: Work = ({ context }, _operators, states) => sketchOperators(context, states);
