import { wordsOf } from './bytes.ts';
import { type BoardKeys, isBefore } from './keys.ts';
import { finish, type Steps } from './steps.ts';

/** Up to this many keys a comparator sort costs less than clearing and summing the counters of a radix sort. */
const COMPARATOR_SORT_KEYS = 256;

/** Up to this many keys with the same high word are put in order by moving one after the other. */
const INSERTION_SORT_KEYS = 16;

const DIGIT_BITS = 11;
const DIGIT_VALUES = 1 << DIGIT_BITS;
const DIGIT_MASK = DIGIT_VALUES - 1;

/** Where the digits of a word begin, from the least to the most significant. The sign bit belongs to the last and is always 0. */
const SHIFTS = [0, DIGIT_BITS, 2 * DIGIT_BITS] as const;

/** The words of a double: which of the two `wordsOf` has for it. */
const LOW_WORD = 0;
const HIGH_WORD = 1;

/**
 * Sorts keys into board order. `keys.operators` must ascend (the sorts are stable, which puts equal Yields in the order of
 * their sequence numbers) and Yields must be at least 0, without −0. The arrays given are used as scratch memory: only
 * the answer may be read afterwards.
 *
 * A radix sort over the bit patterns, which for doubles of at least 0 rise with the values: over the high words, which
 * tell nearly all Yields of a field apart, and then over the low words of those that share one.
 */
export function sortKeys(keys: BoardKeys): BoardKeys {
  return finish(sortSteps(keys));
}

/** The same in steps, between which others may do something: none goes over the keys more than once. */
export function* sortSteps(keys: BoardKeys): Steps<BoardKeys> {
  if (keys.yields.length <= COMPARATOR_SORT_KEYS) return sortByComparator(keys);
  const sorted = yield* sortByWord(keys, HIGH_WORD);
  yield* settleLowWords(sorted);
  return sorted;
}

/** Sorts in steps by one word alone, greatest first, from its least significant digit; one that all share costs no pass. */
function* sortByWord(keys: BoardKeys, word: number): Steps<BoardKeys> {
  const length = keys.yields.length;
  let source = keys;
  let target: BoardKeys = { yields: new Float64Array(length), operators: new Uint32Array(length) };
  const counters = countDigits(wordsOf(keys.yields), word);
  yield;
  for (const [index, shift] of SHIFTS.entries()) {
    const counts = counters.subarray(index * DIGIT_VALUES, (index + 1) * DIGIT_VALUES);
    const firstDigit = (wordsOf(source.yields)[word]! >>> shift) & DIGIT_MASK;
    if (counts[firstDigit] === length) continue;
    scatter(source, target, word, shift, startsDescending(counts));
    [source, target] = [target, source];
    yield;
  }
  return source;
}

/** Puts keys that are in order but for their low words in order, in place and in steps. */
function* settleLowWords({ yields, operators }: BoardKeys): Steps<void> {
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

/** How often each value of each digit of a word occurs: `DIGIT_VALUES` counters a digit. */
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

/** Turns the counts of a digit's values, in place, into where each value begins when the greatest comes first. */
function startsDescending(counts: Uint32Array): Uint32Array {
  let start = 0;
  for (let digit = DIGIT_VALUES - 1; digit >= 0; digit--) {
    const count = counts[digit]!;
    counts[digit] = start;
    start += count;
  }
  return counts;
}

function scatter(source: BoardKeys, target: BoardKeys, word: number, shift: number, starts: Uint32Array): void {
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

/** Sorts few keys in place. Stable. */
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
