import { METHODOLOGIES, type Methodology } from '../../../engine/ranking/methodologies/index.ts';
import { CommandError } from '../command-error.ts';

/** @throws CommandError when there is no methodology of this number. */
export function requireMethodology(number: number): Methodology {
  const found = METHODOLOGIES.get(number);
  if (found !== undefined) return found;
  throw new CommandError(`there is no methodology ${number}`, 'List the methodologies: methodology list.');
}
