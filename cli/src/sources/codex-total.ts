/** Codex's counts: `input` includes cached tokens, `output` includes reasoning. */
export type CodexUsage = readonly [
  input: number,
  cached: number,
  cacheWrite: number,
  output: number,
  reasoning: number,
];

const ZERO: CodexUsage = [0, 0, 0, 0, 0];

/** Most totals from which a session is expected to continue. */
const MAX_BASES = 8;

/** Most gaps that are remembered. */
const MAX_GAPS = 64;

/**
 * The running total of a session. An event adds the growth of the total, which includes requests without an event, and
 * nothing when it repeats a total.
 *
 * A total that falls does not show by itself whether the counter restarted (Codex sets it to zero when a context is full), an
 * old total was written late, or two threads write in turn. The next events show it, by the total that they continue from:
 * former totals stay possible bases, so that no later event counts a session again from the start.
 */
export class CodexTotal {
  /** Most likely first. */
  #bases: readonly CodexUsage[] = [];
  readonly #seen = new Set<string>();
  #last = ZERO;
  /** Growth that included requests without an event: their events may come late. */
  readonly #gaps: Array<readonly [from: CodexUsage, to: CodexUsage]> = [];

  /** What an event with this total and this last request adds; null for nothing. */
  grow(total: CodexUsage | null, last: CodexUsage | null): CodexUsage | null {
    const isRepeated = last !== null && isSame(last, this.#last);
    this.#last = last ?? ZERO;
    if (total === null) return this.#count(last, []);
    // Without a new request only the total was reset.
    if (isSame(total, ZERO)) return this.#count(isRepeated ? null : last, [ZERO]);
    const text = usageText(total);
    if (this.#seen.has(text)) return null;
    this.#seen.add(text);
    const continued = last && this.#bases.find((base) => isSum(total, base, last));
    if (continued) return this.#continue(continued, total);
    if (this.#bases.length === 0 || last === null || isSame(total, last)) return this.#begin(total, last);
    if (this.#gaps.some(([from, to]) => isWithin(from, total) && isWithin(total, to))) return null;
    const base = this.#bases.find((each) => isWithin(sum(each, last), total));
    if (base === undefined) return this.#count(last, [total]);
    this.#gaps.push([base, total]);
    if (this.#gaps.length > MAX_GAPS) this.#gaps.shift();
    return this.#continue(base, total);
  }

  #continue(base: CodexUsage, total: CodexUsage): CodexUsage {
    this.#bases = [total, ...this.#bases.filter((each) => each !== base)];
    return difference(total, base);
  }

  /** The first total, one that began again, or one without a last request, which can only have grown or begun again. */
  #begin(total: CodexUsage, last: CodexUsage | null): CodexUsage {
    const base = last === null ? this.#bases.find((each) => isWithin(each, total)) : undefined;
    if (base !== undefined) return this.#continue(base, total);
    this.#count(last, []);
    this.#bases = [total, ...this.#bases];
    return last ?? total;
  }

  /** Counts a request whose total continues none: the next total includes it, or not, or continues from `others`. */
  #count(last: CodexUsage | null, others: readonly CodexUsage[]): CodexUsage | null {
    const [first] = this.#bases;
    const including = first === undefined || last === null ? [] : [sum(first, last)];
    this.#bases = [...[...including, ...this.#bases].slice(0, MAX_BASES), ...others];
    return last;
  }
}

/** The counts as text, for comparison and for an event's keys. */
export function usageText(usage: CodexUsage | null): string {
  return usage === null ? '-' : `${usage[0]},${usage[1]},${usage[2]},${usage[3]},${usage[4]}`;
}

function isSame(left: CodexUsage, right: CodexUsage): boolean {
  return left.every((each, index) => each === right[index]);
}

/** Without an array: it runs for every event. */
function isSum(total: CodexUsage, left: CodexUsage, right: CodexUsage): boolean {
  for (let index = 0; index < total.length; index += 1) {
    if (total[index] !== left[index]! + right[index]!) return false;
  }
  return true;
}

function isWithin(less: CodexUsage, more: CodexUsage): boolean {
  return less.every((each, index) => each <= more[index]!);
}

function sum(left: CodexUsage, right: CodexUsage): CodexUsage {
  return [left[0] + right[0], left[1] + right[1], left[2] + right[2], left[3] + right[3], left[4] + right[4]];
}

function difference(left: CodexUsage, right: CodexUsage): CodexUsage {
  return [left[0] - right[0], left[1] - right[1], left[2] - right[2], left[3] - right[3], left[4] - right[4]];
}
