import type { BoardKeys } from './board/index.ts';

/** Operators in each list of a comparison. */
const MAX_MOVERS = 10;

/** One operator's ranks before and after; null where it is unranked. */
export interface Mover {
  readonly operator: number;
  readonly before: number | null;
  readonly after: number | null;
}

/** The differences between one window of two boards: plain data that is stored and printed. */
export interface Comparison {
  readonly rankedBefore: number;
  readonly rankedAfter: number;
  /** Ranked only before, and only after. */
  readonly newlyUnranked: number;
  readonly newlyRanked: number;
  /** Ranked in both, with different ranks. */
  readonly moved: number;
  /** Operators ranked in both by absolute rank change: element 0 counts 0 places, 1 counts 1 to 9, 2 counts 10 to 99, … */
  readonly movedBy: readonly number[];
  /** Number of operators by tier change, in the order of the tiers. */
  readonly tierChanges: ReadonlyArray<{ readonly from: string; readonly to: string; readonly operators: number }>;
  /** Largest gains, largest losses, and the best-ranked operators that become unranked. */
  readonly climbers: readonly Mover[];
  readonly fallers: readonly Mover[];
  readonly unranked: readonly Mover[];
}

/** A sorted window of a board and the tiers of its methodology. */
export interface ComparedWindow {
  readonly keys: BoardKeys;
  readonly tierOf: (yield_: number) => string;
}

/** Competition ranks by operator; 0 = unranked. */
function ranksOf({ yields, operators }: BoardKeys, slots: number): Uint32Array {
  const ranks = new Uint32Array(slots);
  let rank = 0;
  for (let at = 0; at < yields.length; at++) {
    if (at === 0 || yields[at]! < yields[at - 1]!) rank = at + 1;
    ranks[operators[at]!] = rank;
  }
  return ranks;
}

/** Compares the ranks and tiers of one window of two boards over `slots` operators. */
export function compareWindows(before: ComparedWindow, after: ComparedWindow, slots: number): Comparison {
  const ranksBefore = ranksOf(before.keys, slots);
  const ranksAfter = ranksOf(after.keys, slots);
  const counts = { newlyUnranked: 0, newlyRanked: 0, moved: 0 };
  const movedBy: number[] = [];
  const climbers = bestOf((mover) => climbed(mover));
  const fallers = bestOf((mover) => -climbed(mover));
  const unranked = bestOf(({ before: rank }) => -(rank ?? 0));
  for (let operator = 0; operator < slots; operator++) {
    const mover = { operator, before: ranksBefore[operator]! || null, after: ranksAfter[operator]! || null };
    if (mover.before === null) {
      if (mover.after !== null) counts.newlyRanked++;
      continue;
    }
    if (mover.after === null) {
      counts.newlyUnranked++;
      unranked.offer(mover);
      continue;
    }
    const places = Math.abs(mover.before - mover.after);
    const bucket = places === 0 ? 0 : String(places).length;
    while (movedBy.length <= bucket) movedBy.push(0);
    movedBy[bucket]!++;
    if (places === 0) continue;
    counts.moved++;
    (mover.after < mover.before ? climbers : fallers).offer(mover);
  }
  return {
    rankedBefore: before.keys.operators.length,
    rankedAfter: after.keys.operators.length,
    ...counts,
    movedBy,
    tierChanges: tierChanges(before, after, slots),
    climbers: climbers.best(),
    fallers: fallers.best(),
    unranked: unranked.best(),
  };
}

function climbed({ before, after }: Mover): number {
  return (before ?? 0) - (after ?? 0);
}

/** Keeps the MAX_MOVERS movers with the greatest value; on a tie those offered first. */
function bestOf(value: (mover: Mover) => number) {
  let kept: Mover[] = [];
  return {
    offer(mover: Mover): void {
      const last = kept[MAX_MOVERS - 1];
      if (last !== undefined && value(mover) <= value(last)) return;
      kept = [...kept, mover].toSorted((a, b) => value(b) - value(a)).slice(0, MAX_MOVERS);
    },
    best: (): readonly Mover[] => kept,
  };
}

function tierChanges(before: ComparedWindow, after: ComparedWindow, slots: number): Comparison['tierChanges'] {
  const former = yieldsBySlot(before.keys, slots);
  const changes = new Map<string, { from: string; to: string; operators: number }>();
  const { yields, operators } = after.keys;
  for (let at = yields.length - 1; at >= 0; at--) {
    const known = former[operators[at]!]!;
    if (Number.isNaN(known)) continue;
    const [from, to] = [before.tierOf(known), after.tierOf(yields[at]!)];
    if (from === to) continue;
    const change = changes.get(`${from}\n${to}`) ?? { from, to, operators: 0 };
    change.operators++;
    changes.set(`${from}\n${to}`, change);
  }
  return [...changes.values()];
}

function yieldsBySlot({ yields, operators }: BoardKeys, slots: number): Float64Array {
  const bySlot = new Float64Array(slots).fill(Number.NaN);
  for (let at = 0; at < yields.length; at++) bySlot[operators[at]!] = yields[at]!;
  return bySlot;
}
