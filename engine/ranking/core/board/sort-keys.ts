import { type Cooperative, runToCompletion } from './cooperative.ts';
import { type BoardKeys, isBefore, WINDOW_COUNT } from './keys.ts';

/** Up to this many keys a comparator sort costs less than the counters of a radix sort (measured). */
const COMPARATOR_SORT_KEYS = 256;

/** Up to this many keys with the same high word are sorted by insertion. */
const INSERTION_SORT_KEYS = 16;

const DIGIT_BITS = 11;
const DIGIT_VALUES = 1 << DIGIT_BITS;
const DIGIT_MASK = DIGIT_VALUES - 1;

/** Bit offsets of the digits of a word, least significant first. The sign bit is in the last digit and always 0. */
const SHIFTS = [0, DIGIT_BITS, 2 * DIGIT_BITS] as const;

/** Index of a word within the two of a double in `wordsOf`. */
const LOW_WORD = 0;
const HIGH_WORD = 1;

/**
 * The ranked operators of one window of a table of Yields (`WINDOW_COUNT` per slot, NaN = unranked) in board order. Maps
 * −0 to 0. The table may change after the first step.
 */
export function* sortWindow(table: Float64Array, window: number): Cooperative<BoardKeys> {
  let count = 0;
  for (let at = window; at < table.length; at += WINDOW_COUNT) {
    if (table[at]! >= 0) count++;
  }
  const yields = new Float64Array(count);
  const operators = new Uint32Array(count);
  let to = 0;
  for (let at = window, operator = 0; at < table.length; at += WINDOW_COUNT, operator++) {
    const y = table[at]!;
    if (!(y >= 0)) continue;
    yields[to] = y + 0;
    operators[to] = operator;
    to++;
  }
  yield;
  return yield* sortKeysCooperatively({ yields, operators });
}

/**
 * Sorts keys into board order. `keys.operators` must ascend (the sorts are stable, which orders equal Yields by sequence
 * number) and Yields must be at least 0, without −0. Uses the arguments as scratch memory: read only the result
 * afterwards.
 *
 * A radix sort over the bit patterns, which for doubles of at least 0 ascend with the values: first over the high words,
 * which are distinct for nearly all Yields, then over the low words of keys with the same high word.
 */
export function sortKeys(keys: BoardKeys): BoardKeys {
  return runToCompletion(sortKeysCooperatively(keys));
}

/** Cooperative `sortKeys`: a step passes over the keys at most once. */
export function* sortKeysCooperatively(keys: BoardKeys): Cooperative<BoardKeys> {
  if (keys.yields.length <= COMPARATOR_SORT_KEYS) return sortByComparator(keys);
  const sorted = yield* sortByWord(keys, HIGH_WORD);
  yield* sortLowWords(sorted);
  return sorted;
}

/** Sorts by one word, descending, from its least significant digit; a digit with the same value in all keys costs no pass. */
function* sortByWord(keys: BoardKeys, word: number): Cooperative<BoardKeys> {
  const length = keys.yields.length;
  let source = keys;
  let target: BoardKeys = { yields: new Float64Array(length), operators: new Uint32Array(length) };
  const counters = countDigits(wordsOf(keys.yields), word);
  yield;
  for (const [index, shift] of SHIFTS.entries()) {
    const counts = counters.subarray(index * DIGIT_VALUES, (index + 1) * DIGIT_VALUES);
    const firstDigit = (wordsOf(source.yields)[word]! >>> shift) & DIGIT_MASK;
    if (counts[firstDigit] === length) continue;
    scatter(source, target, { word, shift, starts: startsDescending(counts) });
    [source, target] = [target, source];
    yield;
  }
  return source;
}

/** Sorts runs of keys with the same high word by their low words, in place. */
function* sortLowWords({ yields, operators }: BoardKeys): Cooperative<void> {
  const words = wordsOf(yields);
  for (let at = 1; at < yields.length; at++) {
    if (!(yields[at]! > yields[at - 1]!)) continue;
    const high = words[2 * at + HIGH_WORD]!;
    let start = at - 1;
    while (start > 0 && words[2 * (start - 1) + HIGH_WORD] === high) start--;
    let end = at + 1;
    while (end < yields.length && words[2 * end + HIGH_WORD] === high) end++;
    const run = { yields: yields.subarray(start, end), operators: operators.subarray(start, end) };
    if (end - start <= INSERTION_SORT_KEYS) {
      sortByInsertion(run);
    } else {
      const isLong = end - start > COMPARATOR_SORT_KEYS;
      const sorted = isLong ? yield* sortByWord(run, LOW_WORD) : sortByComparator(run);
      run.yields.set(sorted.yields);
      run.operators.set(sorted.operators);
    }
    at = end;
  }
  yield;
}

/** Counts the values of each digit of a word: `DIGIT_VALUES` counters per digit. */
function countDigits(words: Uint32Array, word: number): Uint32Array {
  const counters = new Uint32Array(SHIFTS.length * DIGIT_VALUES);
  for (let at = word; at < words.length; at += 2) {
    const value = words[at]!;
    counters[value & DIGIT_MASK]!++;
    counters[DIGIT_VALUES + ((value >>> DIGIT_BITS) & DIGIT_MASK)]!++;
    counters[2 * DIGIT_VALUES + (value >>> (2 * DIGIT_BITS))]!++;
  }
  return counters;
}

/** Converts the counts of a digit's values, in place, to the start index of each value in descending order. */
function startsDescending(counts: Uint32Array): Uint32Array {
  let start = 0;
  for (let digit = DIGIT_VALUES - 1; digit >= 0; digit--) {
    const count = counts[digit]!;
    counts[digit] = start;
    start += count;
  }
  return counts;
}

/** A digit of the keys, and where keys with each value of it begin in the target. */
interface Digit {
  readonly word: number;
  readonly shift: number;
  readonly starts: Uint32Array;
}

function scatter(source: BoardKeys, target: BoardKeys, { word, shift, starts }: Digit): void {
  const words = wordsOf(source.yields);
  const { yields, operators } = source;
  const { yields: targetYields, operators: targetOperators } = target;
  for (let at = 0; at < yields.length; at++) {
    const digit = (words[2 * at + word]! >>> shift) & DIGIT_MASK;
    const to = starts[digit]!;
    starts[digit] = to + 1;
    targetYields[to] = yields[at]!;
    targetOperators[to] = operators[at]!;
  }
}

function sortByComparator({ yields, operators }: BoardKeys): BoardKeys {
  const order = Uint32Array.from(yields.keys());
  order.sort((a, b) => (isBefore(yields[a]!, operators[a]!, yields[b]!, operators[b]!) ? -1 : 1));
  return {
    yields: Float64Array.from(order, (at) => yields[at]!),
    operators: Uint32Array.from(order, (at) => operators[at]!),
  };
}

/** Stable, in place. */
function sortByInsertion({ yields, operators }: BoardKeys): void {
  for (let at = 1; at < yields.length; at++) {
    const y = yields[at]!;
    const operator = operators[at]!;
    let to = at;
    while (to > 0 && yields[to - 1]! < y) {
      yields[to] = yields[to - 1]!;
      operators[to] = operators[to - 1]!;
      to--;
    }
    yields[to] = y;
    operators[to] = operator;
  }
}

/** The bit patterns of doubles as two 32-bit words each, the low word first. Shares memory with `values`. */
function wordsOf(values: Float64Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
}
