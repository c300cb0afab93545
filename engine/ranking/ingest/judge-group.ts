import type { Counts } from '../../contract/signing/index.ts';
import { UNSPECIFIED_PLATFORM } from '../../contract/signing/index.ts';
import type { RankingContext } from '../context.ts';
import { hourOf, MAX_STREAMS, type UsageFact } from '../core/standing/index.ts';
import { isStoreUnavailable } from '../mongo/store-errors.ts';
import type { GroupVerdict, LogEntry, Verdict } from '../types.ts';
import { type Judgement, verifyEntries } from '../verification/index.ts';
import { type FoldResult, foldFacts, RacesLost } from './fold-facts.ts';
import { loadStandings } from './load-standings.ts';

type AcceptedJudgement = Extract<Judgement, { ok: true }>;

/**
 * Judges one group of log entries: verifies, folds, lists the operators for the next commit, records the verdicts, in this
 * order. A crash anywhere repeats the group without harm, and no change can be folded without being listed in the end.
 * Throws when a store fails or races do not end; nothing is half-decided then.
 */
export async function judgeGroup(
  context: RankingContext,
  group: string,
  entries: readonly LogEntry[],
): Promise<GroupVerdict> {
  return settle(context, group, await judgeTogether(context, entries));
}

/**
 * Judges a group that keeps failing one entry at a time, so that only the entry at fault fails: it is refused as
 * `entry_poisoned`. A failing store and lost races are nobody's fault and are thrown. A fold that was written before its entry
 * failed is listed by nobody, so the folds bear their moment and the healer finds them.
 */
export async function judgeGroupApart(
  context: RankingContext,
  group: string,
  entries: readonly LogEntry[],
): Promise<GroupVerdict> {
  const judged: JudgedEntries = { verdicts: [], folded: new Map() };
  for (const entry of entries) {
    const { verdicts, folded } = await judgeTogether(context, [entry], new Date(context.clock())).catch(
      (error: unknown) => {
        if (isStoreUnavailable(error) || error instanceof RacesLost) throw error;
        context.report.poisoned(entry, error);
        return poisoned(entry);
      },
    );
    judged.verdicts.push(...verdicts);
    for (const [operator, result] of folded) judged.folded.set(operator, result);
  }
  return settle(context, group, judged);
}

/**
 * Judges one entry again that was refused as `entry_poisoned`, after what poisoned it was mended: folds it, lists its
 * operator and corrects the verdict. Throws what goes wrong; the former verdict holds then. No job repeats it, so its fold
 * bears the moment: if it is cut short before the list, the healer lists the operator.
 */
export async function rejudgeEntry(context: RankingContext, group: string, entry: LogEntry): Promise<Verdict> {
  const { verdicts, folded } = await judgeTogether(context, [entry], new Date(context.clock()));
  const [verdict] = verdicts;
  if (verdict === undefined) throw new Error('an entry was not judged');
  await context.reach('rejudge.folded');
  await context.stores.changeLists.add([...folded.keys()], context.clock());
  await context.reach('rejudge.listed');
  await context.stores.verdicts.correct(group, verdict);
  context.report.verdicts(verdicts);
  return verdict;
}

interface JudgedEntries {
  readonly verdicts: Verdict[];
  readonly folded: Map<number, FoldResult>;
}

async function judgeTogether(
  context: RankingContext,
  entries: readonly LogEntry[],
  amendedAt: Date | null = null,
): Promise<JudgedEntries> {
  context.liveFolds.note();
  const { trace } = context;
  const remembered = rememberStandings(context, entries);
  const judgements = await trace.step('verify', () => verifyEntries(entries, context.deviceKeys));
  await remembered;
  const folded = await trace.step('fold', () => foldInTime(context, factsByOperator(entries, judgements), amendedAt));
  return { verdicts: decide(entries, judgements, folded), folded };
}

/** Reads what the fold will ask for while signatures are verified. When that fails, the fold asks and fails itself. */
async function rememberStandings({ stores, standings }: RankingContext, entries: readonly LogEntry[]): Promise<void> {
  const operators = new Set(entries.map(({ operator }) => operator));
  await loadStandings(stores.operators, standings, [...operators]).catch(() => undefined);
}

function poisoned({ operator, jti }: LogEntry): JudgedEntries {
  const detail = 'This snapshot could not be processed for a reason of ours. It is kept, and will be judged again.';
  return { verdicts: [{ operator, jti, accepted: false, reason: 'entry_poisoned', detail }], folded: new Map() };
}

/** Lists the touched operators and records the verdicts. */
async function settle(context: RankingContext, group: string, judged: JudgedEntries): Promise<GroupVerdict> {
  const { stores, reach, clock, trace } = context;
  await reach('fold.written');
  await stores.changeLists.add([...judged.folded.keys()], clock(), { group, trace: trace.current() });
  await reach('fold.listed');
  const verdicts = await stores.verdicts.record(group, judged.verdicts, new Date(clock()));
  await reach('fold.decided');
  context.report.verdicts(verdicts);
  return { group, verdicts, totals: allTimeTotals(judged.folded) };
}

/**
 * Folds at the board's own hour, also when that turned in the meantime. Not at the clock's: whoever is due for a new hour
 * must stay due until a turn has announced it, or the board could reach that hour without it.
 */
async function foldInTime(
  context: RankingContext,
  facts: ReadonlyMap<number, readonly UsageFact[]>,
  amendedAt: Date | null,
): Promise<Map<number, FoldResult>> {
  const { boardHour, stores } = context;
  if (boardHour.known === 0) boardHour.known = await stores.board.hour();
  let hour = boardHour.known;
  let folded = await foldFacts(context, facts, hour, amendedAt);
  for (boardHour.known = await stores.board.hour(); boardHour.known > hour; ) {
    hour = boardHour.known;
    const again = await foldFacts(context, facts, hour, amendedAt);
    folded = new Map(
      [...again].map(([operator, result]) => [operator, withFirstOutcomes(folded.get(operator), result)]),
    );
    boardHour.known = await stores.board.hour();
  }
  return folded;
}

/** A repeated fold finds its own facts already there: what they changed is what the first fold said. */
function withFirstOutcomes(first: FoldResult | undefined, result: FoldResult): FoldResult {
  return first?.kind === 'folded' && result.kind === 'folded' ? { ...result, outcomes: first.outcomes } : result;
}

function factsByOperator(
  entries: readonly LogEntry[],
  judgements: readonly Judgement[],
): ReadonlyMap<number, UsageFact[]> {
  const facts = new Map<number, UsageFact[]>();
  entries.forEach((entry, index) => {
    const judgement = judgements[index];
    if (judgement === undefined || !judgement.ok) return;
    const own = facts.get(entry.operator);
    const fact = factOf(entry, judgement);
    if (own === undefined) facts.set(entry.operator, [fact]);
    else own.push(fact);
  });
  return facts;
}

/** What an accepted entry says of its stream. */
export function factOf(entry: LogEntry, { stream, epoch, asOf }: AcceptedJudgement): UsageFact {
  const platform = entry.payload.platform ?? UNSPECIFIED_PLATFORM;
  return { ledger: stream, platform, epoch, hour: hourOf(asOf), counts: entry.payload };
}

function decide(
  entries: readonly LogEntry[],
  judgements: readonly Judgement[],
  folded: ReadonlyMap<number, FoldResult>,
): Verdict[] {
  const next = new Map<number, number>();
  return entries.map(({ operator, jti }, index): Verdict => {
    const judgement = judgements[index];
    if (judgement === undefined) throw new Error('an entry was not judged');
    if (!judgement.ok) return { operator, jti, accepted: false, reason: judgement.reason, detail: judgement.detail };
    const result = folded.get(operator);
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

function allTimeTotals(folded: ReadonlyMap<number, FoldResult>): (readonly [number, Counts])[] {
  return [...folded].flatMap(([operator, result]) => {
    if (result.kind === 'gone') return [];
    const [input = 0, output = 0, cache_read = 0, cache_write = 0] = result.standing.totals;
    return [[operator, { input, output, cache_read, cache_write }] as const];
  });
}
