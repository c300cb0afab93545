import { dayEnds } from '../ledger/day-ends.ts';
import { rememberSubmission, type Submission } from '../ledger/ledger.ts';
import { type Outcome, submitWithoutWaiting } from '../net/submit-snapshot.ts';
import { plural } from '../output/numbers.ts';
import { openProgressBar } from '../output/progress-bar.ts';
import { type Sender, sign } from './sender.ts';

/** Days are noted as submitted this many at a time: after an interruption the last few are sent again, which is harmless. */
const NOTE_EVERY = 10;

/**
 * Submits the totals at the end of each of the last 90 days on which they grew, so that the windows of the board are true
 * from the first day. Oldest first: what the service knows meanwhile is never too much. Goes on where it was interrupted.
 * Answers the number of days, or the refusal that ended it.
 */
export async function sendDayEnds(
  sender: Sender,
  before: Submission,
): Promise<number | { readonly jti: string; readonly outcome: Outcome }> {
  const { client, scanned, screen, configDir } = sender;
  const { platform, backdated } = before;
  const days = dayEnds(await scanned.openUsages(), platform, client.context.now());
  const left = days.filter(({ day }) => backdated === null || day > backdated);
  if (left.length === 0) return 0;
  screen.say(
    `${platform}: submitting the totals of ${plural(left.length, 'day')} past, for the 7, 30 and 90 day boards.`,
  );
  const bar = openProgressBar(screen, platform, client.context.now);
  for (const [index, { asOf, totals, day }] of left.entries()) {
    const { jti, body } = sign(sender, { platform, totals, asOf });
    const outcome = await submitWithoutWaiting(client, body);
    if (outcome.kind === 'refused') {
      bar.end();
      // The border of 90 days may have passed meanwhile: that day is too old, and the others are not.
      if (outcome.reason === 'as_of_too_long_ago') continue;
      return { jti, outcome };
    }
    bar.show(index + 1, left.length, day);
    const isLast = index === left.length - 1;
    if (isLast || (index + 1) % NOTE_EVERY === 0) await rememberSubmission(configDir, { ...before, backdated: day });
  }
  bar.end();
  return left.length;
}
