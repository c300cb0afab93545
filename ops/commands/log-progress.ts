import type { CommandContext } from './command-context.ts';

/** What takes less than this is over before anybody asks; what takes longer is told of this often. In milliseconds. */
const TELL_EVERY_MS = 5_000;

/** Tells people now and then how far long work has come, beside what the command prints. Call the answer as often as you like. */
export function logProgress({ logThrottled }: Pick<CommandContext, 'logThrottled'>): (text: string) => void {
  let told = performance.now();
  return (text) => {
    const now = performance.now();
    if (now - told < TELL_EVERY_MS) return;
    told = now;
    logThrottled(`${text}\n`);
  };
}
