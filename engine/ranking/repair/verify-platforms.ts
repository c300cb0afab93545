import { isDeepStrictEqual } from 'node:util';
import { WINDOWS } from '../../contract/windows.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { type BoardKeys, isBefore, type OrderPage, orderRunOf, sortKeys } from '../core/board/index.ts';
import { collectPlatforms } from '../platforms/platform-keys.ts';
import type { ManifestDocument } from '../storage/board-manifest.ts';
import { type Finding, readPart } from './findings.ts';
import { readStoredBase } from './stored-base-run.ts';

/** Records per query. */
const RECORDS_PER_SCAN = 5_000;

/** What a verification of the boards of platforms found. */
export interface PlatformFindings {
  /**
   * Whether they were recomputed from the records: nothing was committed since their run began, and nothing waits for a commit. If not,
   * what holds at any time was checked: every base run and page is there, in board order and as its directory says. True before
   * the first run.
   */
  readonly isExact: boolean;
  readonly findings: readonly Finding[];
}

/** Checks the boards of platforms. Without trust in some records, they are not recomputed. */
export async function verifyPlatforms(context: RankingContext, isTrusted = true): Promise<PlatformFindings> {
  const manifest = await context.stores.board.read();
  const { platforms } = manifest ?? {};
  const findings: Finding[] = [];
  if (platforms === undefined) return { isExact: true, findings };
  const stored = new Map<string, readonly BoardKeys[]>();
  for (const [platform, base] of Object.entries(platforms.bases)) {
    const keys = await readKeys(context, base, findings);
    if (keys !== null) stored.set(platform, keys);
  }
  const expected = isTrusted ? await recompute(context, platforms.commits) : null;
  // A run that published meanwhile has deleted pages.
  const isCurrent = isDeepStrictEqual((await context.stores.board.read())?.platforms, platforms);
  if (!isCurrent) return { isExact: false, findings: [] };
  if (expected === null || findings.length > 0) return { isExact: expected !== null, findings };
  for (const platform of new Set([...stored.keys(), ...expected.keys()])) {
    const name = platforms.bases[platform] ?? platform;
    for (const [window, of] of WINDOWS.entries()) {
      if (isDeepStrictEqual(stored.get(platform)?.[window], expected.get(platform)?.[window])) continue;
      findings.push({ part: 'platforms', name, problem: `its rows of ${of} differ from the records` });
    }
  }
  return { isExact: true, findings };
}

/** The rows of a stored board, by window; null, with findings, when they are not complete and in order. */
async function readKeys(
  { stores }: RankingContext,
  base: string,
  findings: Finding[],
): Promise<readonly BoardKeys[] | null> {
  const problems: Finding[] = [];
  const header = await readPart(problems, { part: 'base', name: base }, () => stores.parts.base(base));
  const stored = header && (await readStoredBase(stores.parts, header, problems));
  const keys = stored?.orderPages.map(joined) ?? [];
  for (const [window, of] of WINDOWS.entries()) {
    if (problems.length > 0 || keys[window] === undefined || isOrdered(keys[window])) continue;
    problems.push({ part: 'page', name: base, problem: `its rows of ${of} are not in order` });
  }
  if (problems.length === 0 && !isDeepStrictEqual(header?.directories, orderRunOf(keys).directories))
    problems.push({ part: 'base', name: base, problem: 'its directories are not those of its pages' });
  findings.push(...problems.map(({ name, problem }): Finding => ({ part: 'platforms', name, problem })));
  return problems.length === 0 ? keys : null;
}

function joined(pages: readonly (OrderPage | null)[]): BoardKeys {
  return {
    yields: Float64Array.from(pages.flatMap((page) => [...(page?.yields ?? [])])),
    operators: Uint32Array.from(pages.flatMap((page) => [...(page?.operators ?? [])])),
  };
}

function isOrdered({ yields, operators }: BoardKeys): boolean {
  return yields.every((y, at) => at === 0 || isBefore(yields[at - 1]!, operators[at - 1]!, y, operators[at]!));
}

/** The rows of every platform now, by window; null when records changed since so many commits. */
async function recompute(
  context: RankingContext,
  commits: number,
): Promise<ReadonlyMap<string, readonly BoardKeys[]> | null> {
  const { stores, methodologies } = context;
  const isUnchanged = async (): Promise<ManifestDocument | null> => {
    const manifest = await stores.board.read();
    const isSame = manifest?.commits === commits && (await stores.dirtySets.all(1)).length === 0;
    return isSame ? manifest : null;
  };
  const manifest = await isUnchanged();
  if (manifest === null || !methodologies.has(manifest.methodology)) return null;
  const { platforms, keysOf, add } = collectPlatforms(methodologyOf(context, manifest));
  const last = (await stores.operators.highestNumber()) ?? 0;
  for (let from = 1; from <= last; from += RECORDS_PER_SCAN) {
    add(await stores.operators.platformTotalsBetween(from, from + RECORDS_PER_SCAN));
  }
  if ((await isUnchanged()) === null) return null;
  return new Map(
    platforms().map((platform) => [platform, WINDOWS.map((_, window) => sortKeys(keysOf(platform, window)))]),
  );
}
