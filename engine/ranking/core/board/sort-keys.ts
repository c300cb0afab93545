import { wordsOf } from './bytes.ts';
import { type BoardKeys, isBefore } from './keys.ts';
import { finish, type Steps } from './steps.ts';

/** Up to this many keys a comparator sort costs less than clearing and summing the counters of a radix sort. */
const COMPARATOR_SORT_KEYS = 256;

const DIGIT_BITS = 11;
const DIGIT_VALUES = 1 << DIGIT_BITS;
const DIGIT_MASK = DIGIT_VALUES - 1;

/** The digits of a double from the least to the most significant. The sign bit belongs to the last and is always 0. */
const DIGITS = [
  { word: 0, shift: 0 },
  { word: 0, shift: DIGIT_BITS },
  { word: 0, shift: 2 * DIGIT_BITS },
  { word: 1, shift: 0 },
  { word: 1, shift: DIGIT_BITS },
  { word: 1, shift: 2 * DIGIT_BITS },
] as const;

/**
 * Sorts keys into board order. `keys.operators` must ascend (the sort is stable, which puts equal Yields in the order of
 * their sequence numbers) and Yields must be at least 0, without −0. The arrays given are used as scratch memory: only
 * the answer may be read afterwards.
 *
 * A radix sort from the least significant digit over the bit patterns, which for doubles of at least 0 rise with the
 * values. Digits that all keys share, such as the last of whole numbers, cost no pass.
 */
export function sortKeys(keys: BoardKeys): BoardKeys {
  return finish(sortSteps(keys));
}

/** The same in steps, between which others may do something: none goes over the keys more than once. */
export function* sortSteps(keys: BoardKeys): Steps<BoardKeys> {
  const length = keys.yields.length;
  if (length <= COMPARATOR_SORT_KEYS) return sortByComparator(keys);
  let source = keys;
  let target: BoardKeys = { yields: new Float64Array(length), operators: new Uint32Array(length) };
  const counters = countDigits(wordsOf(keys.yields));
  yield;
  for (const [index, { word, shift }] of DIGITS.entries()) {
    const counts = counters.subarray(index * DIGIT_VALUES, (index + 1) * DIGIT_VALUES);
    const firstDigit = (wordsOf(source.yields)[word]! >>> shift) & DIGIT_MASK;
    if (counts[firstDigit] === length) continue;
    scatter(source, target, word, shift, startsDescending(counts));
    [source, target] = [target, source];
    yield;
  }
  return source;
}

/** How often each value of each digit occurs: `DIGIT_VALUES` counters a digit. */
function countDigits(words: Uint32Array): Uint32Array {
  const counters = new Uint32Array(DIGITS.length * DIGIT_VALUES);
  for (let at = 0; at < words.length; at += 2) {
    const low = words[at]!;
    const high = words[at + 1]!;
    counters[low & DIGIT_MASK]!++;
    counters[DIGIT_VALUES + ((low >>> DIGIT_BITS) & DIGIT_MASK)]!++;
    counters[2 * DIGIT_VALUES + (low >>> (2 * DIGIT_BITS))]!++;
    counters[3 * DIGIT_VALUES + (high & DIGIT_MASK)]!++;
    counters[4 * DIGIT_VALUES + ((high >>> DIGIT_BITS) & DIGIT_MASK)]!++;
    counters[5 * DIGIT_VALUES + (high >>> (2 * DIGIT_BITS))]!++;
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
