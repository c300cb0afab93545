import { randomInt } from 'node:crypto';

const CONSONANTS = ['b', 'd', 'f', 'g', 'k', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'z', 'br', 'dr', 'kr', 'tr'];
const VOWELS = ['a', 'e', 'i', 'o', 'u'];
const ENDINGS = ['l', 'm', 'n', 'r', 's', 'x', ''];

/** Syllables that would make words nobody wants to be called. */
const UNWANTED = /fuk|fag|kik|kok|nig|pis|rap|sex|sux|tit|dik|nazi|pedo|porn|kunt|slut/;

/** Numbers that tell names apart that sound alike. */
const NUMBERS = 900;

/**
 * A codename that can be said aloud, such as `talorim-482`: about 4 × 10^9 of them, so that a fresh one is nearly always
 * free.
 */
export function makeCodename(random: (below: number) => number = randomInt): string {
  const pick = (from: readonly string[]): string => from[random(from.length)] ?? '';
  for (;;) {
    const syllables = Array.from({ length: 3 }, () => `${pick(CONSONANTS)}${pick(VOWELS)}`).join('');
    const name = `${syllables}${pick(ENDINGS)}`;
    if (!UNWANTED.test(name)) return `${name}-${100 + random(NUMBERS)}`;
  }
}
