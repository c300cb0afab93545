const WORDS =
  'the board reads each page once and keeps the order of a version while writers append to the log below it so that a reader never waits';

export type Chance = ReturnType<typeof openChance>;

/** A seeded source of numbers, ids and text; the same seed gives the same corpus. */
export function openChance(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return ((state ^ (state >>> 15)) >>> 0) / 2 ** 32;
  };
  /** An integer in [least, most]. */
  const integer = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  const hex = (digits: number): string => Array.from({ length: digits }, () => integer(0, 15).toString(16)).join('');
  const passage = Array.from({ length: 400 }, () => {
    const from = integer(0, WORDS.length - 20);
    return `${WORDS.slice(from, from + integer(8, 60))}${integer(0, 3) === 0 ? '\n' : ' "quoted" '}`;
  }).join('');
  /** Text of `least` to `most` characters, with line breaks and quotes as in code. */
  const text = (least: number, most: number): string => {
    const from = integer(0, passage.length - 1);
    const length = integer(least, most);
    return passage
      .slice(from)
      .concat(passage.repeat(Math.ceil(length / passage.length)))
      .slice(0, length);
  };
  /** True with this probability. */
  const happens = (probability: number): boolean => next() < probability;
  const uuid = (): string => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
  return { integer, happens, hex, uuid, text };
}
