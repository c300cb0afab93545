import { setTimeout as pause } from 'node:timers/promises';
import { OPERATOR_PAGE_SLOTS, type Segment, WINDOW_COUNT } from '../../../../engine/ranking/core/board/index.ts';
import type {
  ManifestDocument,
  MethodologySwitch,
  SegmentReference,
} from '../../../../engine/ranking/storage/documents.ts';
import type { Stores } from '../../../../engine/ranking/storage/stores.ts';

const LOOK_EVERY_MS = 100;

/** What some operators' Yields were on a board version, and which methodology made it. */
export interface VersionFacts {
  readonly methodology: number;
  /** `WINDOW_COUNT` an operator, in the order in which they were named; NaN = unranked. */
  readonly yields: Float64Array;
}

/** Follows the root while it runs, for what every version said of a few operators. */
export interface ManifestFollower {
  /** Stops following; answers what a version said, from the immutable parts that the roots named. */
  end(): Promise<(version: number) => VersionFacts>;
}

/** Begins to follow the root for operators, whose numbers follow each other from `first` on. */
export async function followManifest(stores: Stores, first: number, count: number): Promise<ManifestFollower> {
  const initial = await stores.board.read();
  if (initial === null) throw new Error('there is no board');
  const segments = new Map<string, SegmentReference>();
  const switches = new Map<number, MethodologySwitch>();
  const note = (manifest: ManifestDocument): void => {
    for (const one of manifest.switches ?? []) switches.set(one.version, one);
    const named = [manifest, ...(manifest.switches ?? []).flatMap(({ from, to }) => [from, to])];
    for (const reference of named.flatMap((board) => board.segments)) segments.set(reference.id, reference);
  };
  const ending = new AbortController();
  const following = (async () => {
    while (!ending.signal.aborted) {
      const manifest = await stores.board.read();
      if (manifest !== null) note(manifest);
      await pause(LOOK_EVERY_MS);
    }
  })();
  // Whoever ends it hears of its failure; when the bench has failed before, nobody does.
  following.catch(() => undefined);
  return {
    async end() {
      ending.abort();
      await following;
      return replay(stores, { first, count, initial }, [...segments.values()], switches);
    },
  };
}

interface Followed {
  readonly first: number;
  readonly count: number;
  readonly initial: ManifestDocument;
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
    if (found === undefined) throw new Error(`version ${version} is older than what was followed`);
    return found;
  };
}

/** The Yields of the followed operators on a board: those of its base, and what its segments made of them. */
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
  if (segments === null) throw new Error('segments of a version were swept while it was looked at');
  for (const segment of segments) apply(segment, followed, yields);
}

function apply({ operators, after }: Segment, { first, count }: Followed, yields: Float64Array): void {
  for (const [index, operator] of operators.entries()) {
    const at = operator - first;
    if (at < 0 || at >= count) continue;
    yields.set(after.subarray(index * WINDOW_COUNT, (index + 1) * WINDOW_COUNT), at * WINDOW_COUNT);
  }
}
