import type { OperatorMaker } from '../../engine/accounts/index.ts';
import type { Ranking } from '../../engine/ranking/index.ts';
import { generateCodename } from './generate-codename.ts';

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
