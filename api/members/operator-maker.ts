import { randomInt } from 'node:crypto';
import type { OperatorMaker } from '../../engine/accounts/index.ts';
import type { Ranking } from '../../engine/ranking/index.ts';

const CONSONANTS = ['b', 'd', 'f', 'g', 'k', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'z', 'br', 'dr', 'kr', 'tr'];
const VOWELS = ['a', 'e', 'i', 'o', 'u'];
const ENDINGS = ['l', 'm', 'n', 'r', 's', 'x', ''];

/** Sequences that would form offensive words. */
const UNWANTED = /fuk|fag|kik|kok|nig|pis|rap|sex|sux|tit|dik|nazi|pedo|porn|kunt|slut/;

/** Range of the numeric suffix. */
const NUMBERS = 900;

/** Attempts to find a free codename: of billions, the first is nearly always free. */
const MAX_TRIES = 20;

/** Creates operators with generated codenames for people who sign in for the first time. */
export function createOperatorMaker(
  operators: Pick<Ranking['operators'], 'enrol' | 'erase'>,
  codename: () => string = () => generateCodename(),
): OperatorMaker {
  return {
    async make() {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const enrolment = await operators.enrol({ codename: codename() });
        if (enrolment.kind === 'enrolled') return enrolment.operator;
      }
      throw new Error(`${MAX_TRIES} generated codenames were taken`);
    },
    async discard(operator) {
      await operators.erase(operator);
    },
  };
}

/** A pronounceable codename, such as `talorim-482`: one of about 4 × 10^9, so a random one is nearly always free. */
export function generateCodename(random: (below: number) => number = randomInt): string {
  const pick = (from: readonly string[]): string => from[random(from.length)] ?? '';
  for (;;) {
    const syllables = Array.from({ length: 3 }, () => `${pick(CONSONANTS)}${pick(VOWELS)}`).join('');
    const name = `${syllables}${pick(ENDINGS)}`;
    if (!UNWANTED.test(name)) return `${name}-${100 + random(NUMBERS)}`;
  }
}
