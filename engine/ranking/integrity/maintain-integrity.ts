import { FLAGGING, maskOf, rulesIn, type Severity } from '../../integrity/index.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { scoreRecord } from '../core/score-record.ts';
import { pauseForIngest } from '../ingest/live-ingest.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { amendOperator } from '../operators/amend-operator.ts';
import { decidedUntil } from '../repair/reconcile-log.ts';
import { CLOCKS_DIFFER_MS } from '../storage/leases.ts';
import type { OperatorSummary } from '../storage/operators.ts';
import { randomId } from '../storage/unique-id.ts';
import { assertMatches, sketchOperators } from './identical-series.ts';

/** Operators, and log entries, per read. */
const PAGE = 500;
const LEASE = 'integrity';
/** How long others wait after a process dies in it. A page takes much less. */
const LEASE_MS = 120_000;
/** Time for the walk of all operators in one run, so that changes are not delayed for long. */
const WALK_MS = 60_000;

/** Rules whose exclusion outlasts the samples that showed it. */
const LASTING = maskOf(({ lasting }) => lasting === true);

/** A rule that an operator crosses in some window. */
export interface IntegrityFinding {
  readonly operator: number;
  readonly rule: string;
  readonly severity: Severity;
  readonly boardVersion: number;
}

/** Opens cases. Has to be repeatable. */
export type OpenCases = (found: readonly IntegrityFinding[]) => Promise<void>;

interface Run {
  readonly context: RankingContext;
  readonly methodology: Methodology;
  readonly boardVersion: number;
  readonly open: OpenCases;
  /** Renews the lease. */
  readonly hold: () => Promise<boolean>;
}

/**
 * Opens a case for each flag and exclusion of the operators that changed since the last run, asserts lasting rules in their
 * records, and compares their series with those of others. Each operator is checked once under each methodology of the board,
 * in as many runs as it takes. Safe to repeat.
 */
export async function maintainIntegrity(context: RankingContext, open: OpenCases): Promise<void> {
  const { stores, clock } = context;
  const holder = randomId();
  const hold = () => stores.leases.acquire(LEASE, holder, new Date(clock()), new Date(clock() + LEASE_MS));
  if (!(await hold())) return;
  try {
    const manifest = await stores.board.read();
    if (manifest === null) return;
    const run = { context, methodology: methodologyOf(context, manifest), boardVersion: manifest.version, open, hold };
    await checkSubmitters(run);
    await checkAmended(run);
    await walk(run);
    await assertMatches(context);
  } finally {
    await stores.leases.release(LEASE, holder);
  }
}

/** Checks the operators of the batches that were decided since the last run. */
async function checkSubmitters(run: Run): Promise<void> {
  const { progress, log, operators } = run.context.stores;
  const until = await decidedUntil(progress);
  const from = Number((await progress.read('integrity.batches_from')) ?? until);
  for await (const submitters of log.operatorsBetween(from, until, PAGE)) {
    await check(run, await operators.summaries(submitters));
  }
  await progress.write('integrity.batches_from', String(until));
}

/** Checks the operators whose records changed without a batch, as by an hour that advanced. */
async function checkAmended(run: Run): Promise<void> {
  const { context } = run;
  const { progress, operators } = context.stores;
  const until = context.clock();
  const from = Number((await progress.read('integrity.amended_from')) ?? until);
  for await (const amended of operators.amendedBetween(new Date(from), new Date(until), PAGE))
    await check(run, amended);
  await progress.write('integrity.amended_from', String(until - CLOCKS_DIFFER_MS));
}

/** Checks all operators once under a methodology; continues where the last run stopped. */
async function walk(run: Run): Promise<void> {
  const { context, methodology } = run;
  const { progress, operators } = context.stores;
  const [walked, position = 0] = ((await progress.read('integrity.walk')) ?? '').split(' ').map(Number);
  const after = walked === methodology.id ? position : 0;
  if (after === Number.POSITIVE_INFINITY) return;
  const started = performance.now();
  for await (const page of operators.allSummaries(PAGE, after)) {
    await check(run, page);
    const reached = page.length < PAGE ? Number.POSITIVE_INFINITY : page.at(-1)!.operator;
    await progress.write('integrity.walk', `${methodology.id} ${reached}`);
    await context.failpoint('integrity.walked');
    if (performance.now() - started > WALK_MS) return;
  }
}

async function check({ context, methodology, boardVersion, open, hold }: Run, page: readonly OperatorSummary[]) {
  const started = performance.now();
  const found: IntegrityFinding[] = [];
  for (const summary of page) {
    const { operator, listed, assertions } = summary;
    const mask = scoreRecord(summary, methodology).reduce((all, window) => all | window.mask, 0);
    const lasting = mask & LASTING & ~assertions.findings;
    if (lasting !== 0) await amendOperator(context, operator, { findings: { set: lasting, remove: 0 } });
    if (!listed) continue;
    for (const { name, severity } of rulesIn(mask & FLAGGING)) {
      found.push({ operator, rule: name, severity, boardVersion });
    }
  }
  await context.failpoint('integrity.lasting_asserted');
  if (found.length > 0) await open(found);
  await context.failpoint('integrity.cases_opened');
  await sketchOperators(
    context,
    page.map(({ operator }) => operator),
  );
  await pauseForIngest(context, performance.now() - started);
  if (!(await hold())) throw new Error('another process maintains the integrity of rows');
}
