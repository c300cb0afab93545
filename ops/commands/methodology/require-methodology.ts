import { METHODOLOGIES, type Methodology } from '../../../config/methodologies/index.ts';
import { CommandError } from '../command-error.ts';

/** @throws CommandError when there is no methodology of this number. */
export function requireMethodology(number: number): Methodology {
  const found = METHODOLOGIES.get(number);
  if (found !== undefined) return found;
  throw new CommandError(`there is no methodology ${number}`, 'See those that there are: methodology list.');
}

/** @throws CommandError unless the change is confirmed. */
export function requireConfirmation(confirmed: boolean | undefined, change: string): void {
  if (confirmed === true) return;
  throw new CommandError(change, 'Nothing was changed. Repeat the command with --yes to do it.');
}
