import type { Counting } from '../../../engine/contract/signing/index.ts';
import { windowDaysList } from '../../../engine/contract/windows.ts';
import { dayEnds } from '../ledger/day-ends.ts';
import { type Ledger, rememberSubmission, type Submission } from '../ledger/ledger.ts';
import type { Client } from '../net/client.ts';
import { type Outcome, submitWithoutWaiting } from '../net/submit-snapshot.ts';
import { openProgressBar } from '../output/progress-bar.ts';
import { plural, type Screen } from '../output/screen.ts';
import type { DeviceKey, SigningKey } from '../signing/device-key.ts';
import { layOutSnapshot, type SnapshotDraft, signSnapshot } from '../signing/sign-snapshot.ts';
import type { ScannedUsage } from './scan-usage.ts';

/** Progress is saved every so many days: after an interruption the last few are sent again, which is harmless. */
const SAVE_EVERY_DAYS = 10;

export interface Sender {
  readonly client: Client;
  readonly configDir: string;
  readonly codename: string;
  readonly key: SigningKey;
  /** The key of this machine, which has to be enrolled; null when the key is that of an automation token. */
  readonly device: DeviceKey | null;
  readonly ledger: Ledger;
  readonly scanned: ScannedUsage;
  readonly screen: Screen;
  /** Whether to submit the totals of past days. */
  readonly history: boolean;
}

export interface SentSnapshot {
  readonly jti: string;
  readonly outcome: Outcome;
}

/** Signs current totals, or those at `asOf`. */
export function sign(
  { client, codename, key, ledger: { stream, epoch } }: Sender,
  draft: Pick<SnapshotDraft, 'platform' | 'totals' | 'counting' | 'asOf'>,
): { readonly jti: string; readonly body: string } {
  const layout = layOutSnapshot({ ...draft, codename, kid: key.kid, stream, epoch, now: client.context.now() });
  return { jti: layout.header.jti, body: signSnapshot(layout, key.privateKey) };
}

/**
 * Submits the totals at the end of each of the last 90 days on which they grew, so that the board's windows are correct from
 * the first day. Oldest first, so that intermediate totals never exceed the true ones. Resumes after an interruption.
 * Returns the number of accepted days, or the refusal that ended it.
 */
export async function sendDayEnds(
  sender: Sender,
  before: Submission,
  counting: Counting,
): Promise<number | SentSnapshot> {
  const { client, scanned, screen, configDir } = sender;
  const { platform, backdated } = before;
  const days = dayEnds(scanned.buckets, platform, client.context.now());
  const remaining = days.filter(({ day }) => backdated === null || day > backdated);
  if (remaining.length === 0) return 0;
  screen.printWrapped(
    `${platform}: submitting the totals of ${plural(remaining.length, 'past day')}, for the ${windowDaysList('and')} day boards.`,
  );
  let accepted = 0;
  const bar = openProgressBar(screen, platform, client.context.now);
  for (const [index, { asOf, totals, day }] of remaining.entries()) {
    const { jti, body } = sign(sender, { platform, totals, counting, asOf });
    const outcome = await submitWithoutWaiting(client, body);
    if (outcome.kind === 'refused') {
      bar.end();
      // The 90-day limit may have passed this day in the meantime; later days are still accepted.
      if (outcome.reason === 'as_of_too_long_ago') continue;
      return { jti, outcome };
    }
    accepted += 1;
    bar.show(index + 1, remaining.length, day);
    const isLast = index === remaining.length - 1;
    if (isLast || (index + 1) % SAVE_EVERY_DAYS === 0)
      await rememberSubmission(configDir, { ...before, backdated: day });
  }
  bar.end();
  return accepted;
}
