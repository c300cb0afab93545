import { CommandError } from './command-error.ts';

/** @throws CommandError unless the change is confirmed. */
export function requireConfirmation(confirmed: boolean | undefined, change: string): void {
  if (confirmed === true) return;
  throw new CommandError(change, 'Nothing was changed. Repeat the command with --yes to do it.');
}
