import { UNSPECIFIED_PLATFORM } from '../../contract/signing/index.ts';
import type { RankingContext } from '../context.ts';
import { hourOf, MAX_STREAMS, RETIRED_AFTER_DAYS, receiptKey, type UsageSample } from '../core/operator-state/index.ts';
import { allTimeTotals } from '../core/score-record.ts';
import { isStoreUnavailable } from '../storage/store-errors.ts';
import type { BatchVerdict, LogEntry, Verdict } from '../types.ts';
import { type ApplyResult, applyFacts, ContentionError } from './apply-facts.ts';
import { loadStates } from './load-states.ts';
import { type VerificationResult, verifyEntries } from './verification/verify-entries.ts';

/**
 * Processes one batch of log entries: verifies and applies them, marks the operators dirty and records the verdicts, in this
 * order. A crash at any point repeats the batch without harm, and no applied change stays unmarked. Throws when a store fails
 * or the compare-and-set rounds run out; no verdict is recorded then.
 */
export async function processBatch(
  context: RankingContext,
  batch: string,
  entries: readonly LogEntry[],
): Promise<BatchVerdict> {
  return completeBatch(context, batch, await verifyAndApply(context, entries));
}

/**
 * Poison-message isolation: only the entry at fault is refused as `entry_poisoned`; store failures and contention are thrown.
 * Reconciliation finds a state that was written before its entry failed, by `amended_at`.
 */
export async function processBatchByEntry(
  context: RankingContext,
  batch: string,
  entries: readonly LogEntry[],
): Promise<BatchVerdict> {
  const processed: ProcessedEntries = { verdicts: [], applied: new Map() };
  for (const entry of entries) {
    const { verdicts, applied } = await verifyAndApply(context, [entry], new Date(context.clock())).catch(
      (error: unknown) => {
        if (isStoreUnavailable(error) || error instanceof ContentionError) throw error;
        context.report.poisoned?.(entry, error);
        return poisoned(entry);
      },
    );
    processed.verdicts.push(...verdicts);
    for (const [operator, result] of applied) processed.applied.set(operator, result);
  }
  return completeBatch(context, batch, processed);
}

/**
 * Reprocesses an entry that was refused as `entry_poisoned`, after its cause was fixed. Throws on failure; the earlier verdict
 * then remains. No job repeats this, so the write carries `amended_at` for reconciliation.
 */
export async function reprocessEntry(context: RankingContext, batch: string, entry: LogEntry): Promise<Verdict> {
  const { verdicts, applied } = await verifyAndApply(context, [entry], new Date(context.clock()));
  const [verdict] = verdicts;
  if (verdict === undefined) throw new Error('an entry has no verification result');
  await context.failpoint('reprocess.applied');
  await context.stores.dirtySets.add([...applied.keys()], context.clock());
  await context.failpoint('reprocess.marked_dirty');
  await context.stores.verdicts.correct(batch, verdict);
  context.report.verdicts?.(verdicts);
  return verdict;
}

interface ProcessedEntries {
  readonly verdicts: Verdict[];
  readonly applied: Map<number, ApplyResult>;
}

async function verifyAndApply(
  context: RankingContext,
  entries: readonly LogEntry[],
  amendedAt: Date | null = null,
): Promise<ProcessedEntries> {
  context.liveIngest.recordBatch();
  const { trace } = context;
  const preload = preloadStates(context, entries);
  const verifications = await trace.step('verify', () => verifyEntries(entries, context.deviceKeys));
  await preload;
  const applied = await trace.step('apply', () =>
    applyAtBoardHour(
      context,
      factsByOperator(entries, (index) => factOf(entries[index]!, verifications[index])),
      amendedAt,
    ),
  );
  return { verdicts: decide(entries, verifications, applied), applied };
}

/** Loads the states while signatures are verified. A failure is ignored here: `applyFacts` loads them again and throws. */
async function preloadStates({ stores, operatorStates }: RankingContext, entries: readonly LogEntry[]): Promise<void> {
  const operators = new Set(entries.map(({ operator }) => operator));
  await loadStates(stores.operators, operatorStates, [...operators]).catch(() => undefined);
}

function poisoned({ operator, jti }: LogEntry): ProcessedEntries {
  const detail =
    'This snapshot could not be processed because of an internal error. It is kept and will be processed again.';
  return { verdicts: [{ operator, jti, accepted: false, reason: 'entry_poisoned', detail }], applied: new Map() };
}

/** Marks the operators dirty and records the verdicts. */
async function completeBatch(
  context: RankingContext,
  batch: string,
  processed: ProcessedEntries,
): Promise<BatchVerdict> {
  const { stores, failpoint, clock, trace } = context;
  await failpoint('batch.applied');
  await stores.dirtySets.add([...processed.applied.keys()], clock(), { batch, trace: trace.current() });
  await failpoint('batch.marked_dirty');
  const verdicts = await stores.verdicts.record(batch, processed.verdicts, new Date(clock()));
  await failpoint('batch.decided');
  context.report.verdicts?.(verdicts);
  return { batch, verdicts, totals: judgedTotals(context, processed.applied) };
}

/**
 * Applies at the board's hour, again when that advances meanwhile. Not at the clock's hour: an operator that is due for the
 * next hour must stay due until `advanceHour` announces it, or the board could reach that hour without it.
 */
async function applyAtBoardHour(
  context: RankingContext,
  facts: ReadonlyMap<number, readonly UsageSample[]>,
  amendedAt: Date | null,
): Promise<Map<number, ApplyResult>> {
  const { boardBasis, stores } = context;
  if (boardBasis.known.hour === 0) boardBasis.known = await stores.board.basis();
  let { hour } = boardBasis.known;
  let applied = await applyFacts(context, facts, hour, amendedAt);
  for (boardBasis.known = await stores.board.basis(); boardBasis.known.hour > hour; ) {
    ({ hour } = boardBasis.known);
    const again = await applyFacts(context, facts, hour, amendedAt);
    applied = new Map(
      [...again].map(([operator, result]) => [operator, withFirstOutcomes(applied.get(operator), result)]),
    );
    boardBasis.known = await stores.board.basis();
  }
  return applied;
}

/** A second pass finds its facts already applied, so the outcomes of the first pass hold. */
function withFirstOutcomes(first: ApplyResult | undefined, result: ApplyResult): ApplyResult {
  return first?.kind === 'applied' && result.kind === 'applied' ? { ...result, outcomes: first.outcomes } : result;
}

/** Usage facts by operator; an entry without one has null. */
export function factsByOperator(
  entries: readonly LogEntry[],
  factAt: (index: number) => UsageSample | null,
): ReadonlyMap<number, UsageSample[]> {
  const facts = new Map<number, UsageSample[]>();
  for (const [index, { operator }] of entries.entries()) {
    const fact = factAt(index);
    if (fact === null) continue;
    const known = facts.get(operator);
    if (known === undefined) facts.set(operator, [fact]);
    else known.push(fact);
  }
  return facts;
}

/** The usage fact of an entry; null when it is refused. */
export function factOf(entry: LogEntry, verification: VerificationResult | undefined): UsageSample | null {
  if (verification?.ok !== true) return null;
  const { stream, epoch, asOf, provenance } = verification;
  const platform = entry.payload.platform ?? UNSPECIFIED_PLATFORM;
  const hour = hourOf(asOf);
  const receipt = receiptKey(entry.receivedAt, hour);
  return { ledger: stream, platform, epoch, hour, counts: entry.payload, provenance, receipt };
}

function decide(
  entries: readonly LogEntry[],
  verifications: readonly VerificationResult[],
  applied: ReadonlyMap<number, ApplyResult>,
): Verdict[] {
  const next = new Map<number, number>();
  return entries.map(({ operator, jti }, index): Verdict => {
    const verification = verifications[index];
    if (verification === undefined) throw new Error('an entry has no verification result');
    if (!verification.ok)
      return { operator, jti, accepted: false, reason: verification.reason, detail: verification.detail };
    const result = applied.get(operator);
    if (result === undefined || result.kind === 'gone') {
      return { operator, jti, accepted: false, reason: 'operator_gone', detail: 'This operator has been erased.' };
    }
    const place = next.get(operator) ?? 0;
    next.set(operator, place + 1);
    const outcome = result.outcomes[place];
    if (outcome === 'stream_limit') {
      const detail =
        `This operator already has ${MAX_STREAMS} active streams (ledger and platform). One that does not grow for ` +
        `${RETIRED_AFTER_DAYS} days frees its place; GET /streams lists them.`;
      return { operator, jti, accepted: false, reason: 'stream_limit', detail };
    }
    return { operator, jti, accepted: true, changed: outcome === 'changed' };
  });
}

function judgedTotals(
  { methodologies, boardBasis }: RankingContext,
  applied: ReadonlyMap<number, ApplyResult>,
): BatchVerdict['totals'] {
  const methodology = methodologies.get(boardBasis.known.methodology);
  if (methodology === undefined) return [];
  return [...applied].flatMap(([operator, result]) => {
    if (result.kind === 'gone') return [];
    const { operatorState, assertions } = result;
    return [[operator, allTimeTotals({ totals: operatorState.totals, assertions }, methodology)]];
  });
}
