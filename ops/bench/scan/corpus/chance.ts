const WORDS =
  'the board reads each page once and keeps the order of a version while writers append to the log below it so that a reader never waits';

/** A seeded source of numbers, ids and text. */
export interface Chance {
  /** An integer in [least, most]. */
  integer(least: number, most: number): number;
  /** True with this probability. */
  happens(probability: number): boolean;
  /** Lower-case hexadecimal digits. */
  hex(digits: number): string;
  uuid(): string;
  /** Text of about this many characters, with line breaks and quotes as in code. */
  text(characters: number): string;
}

/** Creates the source; the same seed gives the same corpus. */
export function openChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return ((state ^ (state >>> 15)) >>> 0) / 2 ** 32;
  };
  const integer = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  const hex = (digits: number): string => Array.from({ length: digits }, () => integer(0, 15).toString(16)).join('');
  const passage = Array.from({ length: 400 }, () => {
    const from = integer(0, WORDS.length - 20);
    return `${WORDS.slice(from, from + integer(8, 60))}${integer(0, 3) === 0 ? '\n' : ' "quoted" '}`;
  }).join('');
  return {
    integer,
    happens: (probability) => next() < probability,
    hex,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
    text: (characters) => {
      let text = '';
      while (text.length < characters) {
        const from = integer(0, passage.length - 1);
        text += passage.slice(from, from + characters - text.length);
      }
      return text;
    },
  };
}
