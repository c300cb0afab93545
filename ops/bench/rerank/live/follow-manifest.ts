import { OPERATOR_PAGE_SLOTS, type Segment, WINDOW_COUNT } from '../../../../engine/ranking/core/board/index.ts';
import type {
  ManifestDocument,
  MethodologySwitch,
  SegmentReference,
} from '../../../../engine/ranking/storage/board-manifest.ts';
import type { Stores } from '../../../../engine/ranking/storage/stores.ts';
import { repeatedly } from '../../frame/repeatedly.ts';

const POLL_INTERVAL_MS = 100;

/** Yields of some operators on a board version, and its methodology. */
export interface VersionFacts {
  readonly methodology: number;
  /** `WINDOW_COUNT` per operator, in the order of their numbers; NaN: unranked. */
  readonly yields: Float64Array;
}

interface Followed {
  readonly first: number;
  readonly count: number;
  readonly initial: ManifestDocument;
}

/**
 * Starts following the board manifest, to know the Yields of `count` operators with consecutive numbers from `first` on in
 * every version.
 */
export async function followManifest(stores: Stores, first: number, count: number) {
  const initial = await stores.board.read();
  if (initial === null) throw new Error('there is no board');
  const segments = new Map<string, SegmentReference>();
  const switches = new Map<number, MethodologySwitch>();
  const following = repeatedly(POLL_INTERVAL_MS, async () => {
    const manifest = await stores.board.read();
    if (manifest === null) return;
    for (const one of manifest.switches ?? []) switches.set(one.version, one);
    const boards = [manifest, ...(manifest.switches ?? []).flatMap(({ from, to }) => [from, to])];
    for (const reference of boards.flatMap((board) => board.segments)) segments.set(reference.id, reference);
  });
  return {
    /** Stops following. Returns a lookup by version, computed from the immutable parts of the manifests. */
    async end(): Promise<(version: number) => VersionFacts> {
      await following.end();
      return replay(stores, { first, count, initial }, [...segments.values()], switches);
    },
  };
}

async function replay(
  stores: Stores,
  followed: Followed,
  segments: readonly SegmentReference[],
  switches: ReadonlyMap<number, MethodologySwitch>,
): Promise<(version: number) => VersionFacts> {
  const { initial } = followed;
  const later = segments.filter(({ from, to }) => from === to && to > initial.version);
  const versions = [...new Set([...later.map(({ to }) => to), ...switches.keys()])].sort((a, b) => a - b);
  let yields = await yieldsOn(stores, followed, initial);
  let methodology = initial.methodology;
  const facts = [{ version: initial.version, methodology, yields }];
  for (const version of versions) {
    const change = switches.get(version);
    if (change === undefined) {
      yields = yields.slice();
      const ids = later.filter(({ to }) => to === version).map(({ id }) => id);
      await applyAll(stores, followed, ids, yields);
    } else {
      yields = await yieldsOn(stores, followed, change.to);
      methodology = change.to.methodology;
    }
    facts.push({ version, methodology, yields });
  }
  return (version) => {
    const found = facts.findLast((one) => one.version <= version);
    if (found === undefined) throw new Error(`version ${version} is older than the first followed one`);
    return found;
  };
}

/** The Yields of the followed operators on a board: of its base run, with its segments applied. */
async function yieldsOn(
  stores: Stores,
  followed: Followed,
  { base, segments }: Pick<ManifestDocument, 'base' | 'segments'>,
): Promise<Float64Array> {
  const { first, count } = followed;
  const yields = new Float64Array(count * WINDOW_COUNT).fill(Number.NaN);
  const firstPage = Math.floor(first / OPERATOR_PAGE_SLOTS);
  const pages = Math.floor((first + count - 1) / OPERATOR_PAGE_SLOTS) - firstPage + 1;
  const read = await stores.parts.operatorPages(base, firstPage, pages);
  for (let index = 0; index < count; index++) {
    const slot = first + index - firstPage * OPERATOR_PAGE_SLOTS;
    const page = read[Math.floor(slot / OPERATOR_PAGE_SLOTS)];
    const at = (slot % OPERATOR_PAGE_SLOTS) * WINDOW_COUNT;
    if (page !== undefined) yields.set(page.yields.subarray(at, at + WINDOW_COUNT), index * WINDOW_COUNT);
  }
  await applyAll(
    stores,
    followed,
    segments.map(({ id }) => id),
    yields,
  );
  return yields;
}

async function applyAll(stores: Stores, followed: Followed, ids: readonly string[], yields: Float64Array) {
  const segments = await stores.parts.segments(ids);
  if (segments === null) throw new Error('segments of a version were garbage-collected while it was read');
  for (const segment of segments) apply(segment, followed, yields);
}

function apply({ operators, after }: Segment, { first, count }: Followed, yields: Float64Array): void {
  for (const [index, operator] of operators.entries()) {
    const at = operator - first;
    if (at < 0 || at >= count) continue;
    yields.set(after.subarray(index * WINDOW_COUNT, (index + 1) * WINDOW_COUNT), at * WINDOW_COUNT);
  }
}
