import type { Counts } from '../../contract/signing/index.ts';
import { UNSPECIFIED_PLATFORM } from '../../contract/signing/index.ts';
import type { RankingContext } from '../context.ts';
import { hourOf, MAX_STREAMS, type UsageFact } from '../core/operator-state/index.ts';
import { isStoreUnavailable } from '../storage/store-errors.ts';
import type { BatchVerdict, LogEntry, Verdict } from '../types.ts';
import { type ApplyResult, applyFacts, ContentionError } from './apply-facts.ts';
import { loadStates } from './load-states.ts';
import { type VerificationResult, verifyEntries } from './verification/index.ts';

type AcceptedResult = Extract<VerificationResult, { ok: true }>;

/**
 * Judges one group of log entries: verifies, folds, lists the operators for the next commit, records the verdicts, in this
 * order. A crash anywhere repeats the group without harm, and no change can be folded without being listed in the end.
 * Throws when a store fails or races do not end; nothing is half-decided then.
 */
export async function processBatch(
  context: RankingContext,
  batch: string,
  entries: readonly LogEntry[],
): Promise<BatchVerdict> {
  return settle(context, batch, await verifyAndApply(context, entries));
}

/**
 * Judges a group that keeps failing one entry at a time, so that only the entry at fault fails: it is refused as
 * `entry_poisoned`. A failing store and lost races are nobody's fault and are thrown. A fold that was written before its entry
 * failed is listed by nobody, so the folds bear their moment and the healer finds them.
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
        context.report.poisoned(entry, error);
        return poisoned(entry);
      },
    );
    processed.verdicts.push(...verdicts);
    for (const [operator, result] of applied) processed.applied.set(operator, result);
  }
  return settle(context, batch, processed);
}

/**
 * Judges one entry again that was refused as `entry_poisoned`, after what poisoned it was mended: folds it, lists its
 * operator and corrects the verdict. Throws what goes wrong; the former verdict holds then. No job repeats it, so its fold
 * bears the moment: if it is cut short before the list, the healer lists the operator.
 */
export async function rejudgeEntry(context: RankingContext, batch: string, entry: LogEntry): Promise<Verdict> {
  const { verdicts, applied } = await verifyAndApply(context, [entry], new Date(context.clock()));
  const [verdict] = verdicts;
  if (verdict === undefined) throw new Error('an entry was not judged');
  await context.failpoint('reprocess.applied');
  await context.stores.dirtySets.add([...applied.keys()], context.clock());
  await context.failpoint('reprocess.marked_dirty');
  await context.stores.verdicts.correct(batch, verdict);
  context.report.verdicts(verdicts);
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
  context.liveIngest.note();
  const { trace } = context;
  const remembered = preloadStates(context, entries);
  const judgements = await trace.step('verify', () => verifyEntries(entries, context.deviceKeys));
  await remembered;
  const applied = await trace.step('fold', () =>
    applyAtBoardHour(context, factsByOperator(entries, judgements), amendedAt),
  );
  return { verdicts: decide(entries, judgements, applied), applied };
}

/** Reads what the fold will ask for while signatures are verified. When that fails, the fold asks and fails itself. */
async function preloadStates({ stores, operatorStates }: RankingContext, entries: readonly LogEntry[]): Promise<void> {
  const operators = new Set(entries.map(({ operator }) => operator));
  await loadStates(stores.operators, operatorStates, [...operators]).catch(() => undefined);
}

function poisoned({ operator, jti }: LogEntry): ProcessedEntries {
  const detail = 'This snapshot could not be processed for a reason of ours. It is kept, and will be judged again.';
  return { verdicts: [{ operator, jti, accepted: false, reason: 'entry_poisoned', detail }], applied: new Map() };
}

/** Lists the touched operators and records the verdicts. */
async function settle(context: RankingContext, batch: string, processed: ProcessedEntries): Promise<BatchVerdict> {
  const { stores, failpoint, clock, trace } = context;
  await failpoint('batch.applied');
  await stores.dirtySets.add([...processed.applied.keys()], clock(), { batch, trace: trace.current() });
  await failpoint('batch.marked_dirty');
  const verdicts = await stores.verdicts.record(batch, processed.verdicts, new Date(clock()));
  await failpoint('batch.decided');
  context.report.verdicts(verdicts);
  return { batch, verdicts, totals: allTimeTotals(processed.applied) };
}

/**
 * Folds at the board's own hour, also when that turned in the meantime. Not at the clock's: whoever is due for a new hour
 * must stay due until a turn has announced it, or the board could reach that hour without it.
 */
async function applyAtBoardHour(
  context: RankingContext,
  facts: ReadonlyMap<number, readonly UsageFact[]>,
  amendedAt: Date | null,
): Promise<Map<number, ApplyResult>> {
  const { boardHour, stores } = context;
  if (boardHour.known === 0) boardHour.known = await stores.board.hour();
  let hour = boardHour.known;
  let applied = await applyFacts(context, facts, hour, amendedAt);
  for (boardHour.known = await stores.board.hour(); boardHour.known > hour; ) {
    hour = boardHour.known;
    const again = await applyFacts(context, facts, hour, amendedAt);
    applied = new Map(
      [...again].map(([operator, result]) => [operator, withFirstOutcomes(applied.get(operator), result)]),
    );
    boardHour.known = await stores.board.hour();
  }
  return applied;
}

/** A repeated fold finds its own facts already there: what they changed is what the first fold said. */
function withFirstOutcomes(first: ApplyResult | undefined, result: ApplyResult): ApplyResult {
  return first?.kind === 'applied' && result.kind === 'applied' ? { ...result, outcomes: first.outcomes } : result;
}

function factsByOperator(
  entries: readonly LogEntry[],
  judgements: readonly VerificationResult[],
): ReadonlyMap<number, UsageFact[]> {
  const facts = new Map<number, UsageFact[]>();
  entries.forEach((entry, index) => {
    const verification = judgements[index];
    if (verification === undefined || !verification.ok) return;
    const own = facts.get(entry.operator);
    const fact = factOf(entry, verification);
    if (own === undefined) facts.set(entry.operator, [fact]);
    else own.push(fact);
  });
  return facts;
}

/** What an accepted entry says of its stream. */
export function factOf(entry: LogEntry, { stream, epoch, asOf }: AcceptedResult): UsageFact {
  const platform = entry.payload.platform ?? UNSPECIFIED_PLATFORM;
  return { ledger: stream, platform, epoch, hour: hourOf(asOf), counts: entry.payload };
}

function decide(
  entries: readonly LogEntry[],
  judgements: readonly VerificationResult[],
  applied: ReadonlyMap<number, ApplyResult>,
): Verdict[] {
  const next = new Map<number, number>();
  return entries.map(({ operator, jti }, index): Verdict => {
    const verification = judgements[index];
    if (verification === undefined) throw new Error('an entry was not judged');
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
      const detail = `This operator already has the most streams (ledger and platform) that are kept: ${MAX_STREAMS}.`;
      return { operator, jti, accepted: false, reason: 'stream_limit', detail };
    }
    return { operator, jti, accepted: true, changed: outcome === 'changed' };
  });
}

function allTimeTotals(applied: ReadonlyMap<number, ApplyResult>): (readonly [number, Counts])[] {
  return [...applied].flatMap(([operator, result]) => {
    if (result.kind === 'gone') return [];
    const [input = 0, output = 0, cache_read = 0, cache_write = 0] = result.operatorState.totals;
    return [[operator, { input, output, cache_read, cache_write }] as const];
  });
}
