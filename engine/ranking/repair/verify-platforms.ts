import { isDeepStrictEqual } from 'node:util';
import { WINDOWS } from '../../contract/windows.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { type BoardKeys, isBefore, NO_KEYS, type OrderPage, orderRunOf, sortKeys } from '../core/board/index.ts';
import { collectPlatforms } from '../platforms/platform-keys.ts';
import type { ManifestDocument } from '../storage/board-manifest.ts';
import type { Finding } from './findings.ts';
import { type StoredBaseRun, verifyBase } from './stored-base-run.ts';

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
  if (platforms === undefined) return { isExact: true, findings: [] };
  const expected = isTrusted ? await recompute(context, platforms.commits) : null;
  const findings: Finding[] = [];
  for (const platform of new Set([...Object.keys(platforms.bases), ...(expected?.keys() ?? [])])) {
    const base = platforms.bases[platform];
    if (base === undefined) findings.push({ part: 'platforms', name: platform, problem: 'has no board' });
    const rows = expected === null ? null : (expected.get(platform) ?? WINDOWS.map(() => NO_KEYS));
    const build = ({ orderPages }: StoredBaseRun) => orderRunOf(rows ?? orderPages.map(sortedRows));
    if (base !== undefined) findings.push(...(await verifyBase(context.stores.parts, 'platforms', base, build)));
  }
  // A run that published meanwhile has deleted pages.
  const isCurrent = isDeepStrictEqual((await context.stores.board.read())?.platforms, platforms);
  return isCurrent ? { isExact: expected !== null, findings } : { isExact: false, findings: [] };
}

/** The rows of pages, in board order also where these are not. */
function sortedRows(pages: readonly (OrderPage | null)[]): BoardKeys {
  const rows = pages
    .flatMap((page) => Array.from(page?.operators ?? [], (operator, at) => [page!.yields[at]!, operator] as const))
    .toSorted((one, other) => (isBefore(...one, ...other) ? -1 : 1));
  return { yields: Float64Array.from(rows, ([y]) => y), operators: Uint32Array.from(rows, ([, each]) => each) };
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
