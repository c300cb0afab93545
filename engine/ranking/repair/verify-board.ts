import { isDeepStrictEqual } from 'node:util';
import { WINDOWS } from '../../contract/windows.ts';
import { planAllTopEntries } from '../board/plan-top-entries.ts';
import { createPublishedBoardSource } from '../board/published-board.ts';
import { scoreAllOperators } from '../board/score-operators.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { buildBaseRun, isSameYield, type Segment, WINDOW_COUNT, YieldTable } from '../core/board/index.ts';
import { type BoardState, rankedIn, stateOf } from '../read/board-state.ts';
import { firstOfTries } from '../read/page-cache.ts';
import type { ManifestDocument } from '../storage/board-manifest.ts';
import type { TopEntryDocument } from '../storage/board-parts.ts';
import { type Finding, readPart } from './findings.ts';
import { compareBase, readStoredBase, type StoredBaseRun } from './stored-base-run.ts';

/** Dirty sets read at most. */
const MAX_DIRTY_SETS = 100_000;

/**
 * Recomputes the published board from the records and reports every part that differs. For operators in dirty sets and for
 * distrusted ones, the board's own values are taken as correct.
 */
export async function verifyBoard(
  context: RankingContext,
  distrusted: ReadonlySet<number> = new Set(),
): Promise<readonly Finding[]> {
  const findings = await firstOfTries(() => attempt(context, distrusted));
  if (findings !== null) return findings;
  throw new Error('compactions overtook every attempt to verify the board: try again when there is less load');
}

async function attempt(context: RankingContext, distrusted: ReadonlySet<number>): Promise<readonly Finding[] | null> {
  const { stores } = context;
  const findings: Finding[] = [];
  const manifest = await readPart(findings, { part: 'manifest', name: 'manifest' }, () => stores.board.read());
  if (manifest === null) return findings;
  if (!context.methodologies.has(manifest.methodology)) {
    return [
      {
        part: 'manifest',
        name: 'manifest',
        problem: `refers to methodology ${manifest.methodology}, which is unknown`,
      },
    ];
  }
  const unsettled = new Set([...distrusted, ...(await dirtyOperators(context))]);
  const header = await readPart(findings, { part: 'base', name: manifest.base }, () =>
    stores.parts.base(manifest.base),
  );
  const segments = await readSegments(context, manifest, findings);
  const stored = header === null ? null : await readStoredBase(stores.parts, header, findings);
  const now = await scoreAllOperators(stores.operators, methodologyOf(context, manifest));
  const addChanged = () => addChangedSince(context, manifest, unsettled);
  if (!(await addChanged())) return null;
  if (stored !== null) {
    const complete = segments.every(({ segment }) => segment !== null);
    const expected = expectedBase(stored, segments, now, unsettled, complete);
    compareBase(stored, buildBaseRun(expected), findings);
    compareSegments(segments, new YieldTable(expected.slice()), now, unsettled, findings);
  }
  await verifyManifestTotals(context, manifest, findings, async () => ((await addChanged()) ? unsettled : null));
  return findings;
}

/** Adds the operators that changed since a manifest: those of dirty sets and later segments. False after a compaction or a re-rank. */
async function addChangedSince(
  context: RankingContext,
  manifest: ManifestDocument,
  unsettled: Set<number>,
): Promise<boolean> {
  const { stores } = context;
  for (const operator of await dirtyOperators(context)) unsettled.add(operator);
  const newest = await stores.board.read();
  if (newest === null || newest.base !== manifest.base || newest.methodology !== manifest.methodology) return false;
  const seen = new Set(manifest.segments.map(({ id }) => id));
  const later = newest.segments.filter(({ id }) => !seen.has(id)).map(({ id }) => id);
  for (const { operators } of (await stores.parts.segments(later)) ?? [])
    operators.forEach((each) => unsettled.add(each));
  return true;
}

async function readSegments({ stores }: RankingContext, manifest: ManifestDocument, findings: Finding[]) {
  const read: { readonly id: string; readonly segment: Segment | null }[] = [];
  for (const { id } of manifest.segments) {
    const segment = await readPart(findings, { part: 'segment', name: id }, async () => {
      const found = await stores.parts.segments([id]);
      return found?.[0] ?? null;
    });
    read.push({ id, segment });
  }
  return read;
}

async function dirtyOperators({ stores }: RankingContext): Promise<Set<number>> {
  return new Set((await stores.dirtySets.all(MAX_DIRTY_SETS)).flatMap(({ operators }) => operators));
}

/**
 * The expected content of the base run: the record's Yields for operators that no segment changed; for others, the first
 * segment's `before` values, unless both kinds of pages agree on another value, which means that the segment is damaged.
 */
function expectedBase(
  { byOperator, byOrder }: StoredBaseRun,
  segments: Awaited<ReturnType<typeof readSegments>>,
  now: Float64Array,
  unsettled: ReadonlySet<number>,
  complete: boolean,
): Float64Array {
  const expected = byOperator.slice();
  const changed = new Set<number>();
  for (const { segment } of segments) {
    segment?.operators.forEach((operator, index) => {
      if (changed.has(operator)) return;
      changed.add(operator);
      for (let window = 0; window < WINDOW_COUNT; window++) {
        const at = operator * WINDOW_COUNT + window;
        const agreed = isSameYield(byOperator[at] ?? Number.NaN, byOrder[at] ?? Number.NaN);
        if (!agreed && at < expected.length) expected[at] = segment.before[index * WINDOW_COUNT + window]!;
      }
    });
  }
  for (let operator = 0; operator * WINDOW_COUNT < expected.length; operator++) {
    // An unreadable segment may have changed any operator.
    if (!complete || changed.has(operator) || unsettled.has(operator)) continue;
    for (let at = operator * WINDOW_COUNT; at < (operator + 1) * WINDOW_COUNT; at++)
      expected[at] = now[at] ?? Number.NaN;
  }
  return expected;
}

/** Each segment must begin at the state where the previous one ended, and the last end at the records. */
function compareSegments(
  segments: Awaited<ReturnType<typeof readSegments>>,
  table: YieldTable,
  now: Float64Array,
  unsettled: ReadonlySet<number>,
  findings: Finding[],
): void {
  const lastOf = new Map<number, string>();
  for (const { id, segment } of segments) {
    if (segment === null) return;
    const broken = [...segment.operators].find((operator, index) => {
      lastOf.set(operator, id);
      return !sameState(table.of(operator), segment.before, index * WINDOW_COUNT);
    });
    if (broken !== undefined) {
      findings.push({
        part: 'segment',
        name: id,
        problem: `does not begin where the previous segment ended, for operator ${broken}`,
      });
    }
    table.apply(segment);
  }
  const reported = new Set(findings.filter(({ part }) => part === 'segment').map(({ name }) => name));
  for (const [operator, id] of lastOf) {
    if (reported.has(id) || unsettled.has(operator)) continue;
    if (sameState(table.of(operator), now, operator * WINDOW_COUNT)) continue;
    reported.add(id);
    findings.push({ part: 'segment', name: id, problem: `does not end at the record of operator ${operator}` });
  }
}

function sameState(a: Float64Array, b: Float64Array, at: number): boolean {
  return a.every((value, window) => isSameYield(value, b[at + window] ?? Number.NaN));
}

/** Checks the manifest's totals and the top entries, provided that all other parts are readable. */
async function verifyManifestTotals(
  context: RankingContext,
  manifest: ManifestDocument,
  findings: Finding[],
  unsettledNow: () => Promise<ReadonlySet<number> | null>,
) {
  const topEntries = await readPart(findings, { part: 'topEntries', name: manifest.topEntries }, () =>
    context.stores.parts.topEntries(manifest.topEntries),
  );
  if (findings.some(({ part }) => part !== 'topEntries')) return;
  const state = await stateOf(context.stores.parts, manifest, null);
  if (state === null) return;
  for (const [window, name] of WINDOWS.entries()) {
    if (manifest.totals[window] === rankedIn(state, window)) continue;
    findings.push({
      part: 'manifest',
      name: 'manifest',
      problem: `counts ${manifest.totals[window]} operators of ${name}`,
    });
  }
  if (topEntries !== null) findings.push(...(await verifyTopEntries(context, state, topEntries, unsettledNow)));
}

/**
 * Compares the top entries of an intact board with the records, but for operators that changed since; not their movements, which
 * depend on other boards.
 */
async function verifyTopEntries(
  context: RankingContext,
  state: BoardState,
  topEntries: readonly TopEntryDocument[][],
  unsettledNow: () => Promise<ReadonlySet<number> | null>,
): Promise<readonly Finding[]> {
  const plan = await planAllTopEntries(
    context,
    createPublishedBoardSource(context),
    state,
    methodologyOf(context, state.manifest),
  );
  const unsettled = await unsettledNow();
  if (unsettled === null) return [];
  const leftOut = new Set([...unsettled, ...plan.stale]);
  return WINDOWS.flatMap((name, window): Finding[] => {
    const [stored, expected] = [facts(topEntries[window], leftOut), facts(plan.windows[window], leftOut)];
    const first = expected.findIndex((entry, index) => !isDeepStrictEqual(entry, stored[index]));
    const place = first >= 0 ? first + 1 : stored.length > expected.length ? expected.length + 1 : 0;
    if (place === 0) return [];
    return [
      {
        part: 'topEntries',
        name: state.manifest.topEntries,
        problem: `its entry ${place} of ${name} differs from the records`,
      },
    ];
  });
}

function facts(entries: readonly TopEntryDocument[] = [], leftOut: ReadonlySet<number>) {
  return entries
    .filter(({ operator }) => !leftOut.has(operator))
    .map(({ movement_24h: _day, movement_7d: _week, ...entry }) => entry);
}
