import { MS_PER_SECOND } from '../../../../config/units.ts';
import { MAX_CLOCK_SKEW_MS, MAX_SNAPSHOT_AGE_MS, type SnapshotHeader } from '../../../contract/signing/index.ts';
import { type Refusal, refusal } from './verification-result.ts';

/**
 * Checks a header's times against `receivedAt` (milliseconds since the epoch); null when they are valid. Both limits are
 * inclusive: exactly five minutes ahead and exactly ninety days old are accepted.
 */
export function checkTimes(header: SnapshotHeader, receivedAt: number): Refusal | null {
  const latest = receivedAt + MAX_CLOCK_SKEW_MS;
  const earliest = receivedAt - MAX_SNAPSHOT_AGE_MS;
  const asOf = header.as_of ?? header.iat;
  if (header.iat * MS_PER_SECOND > latest) return tooFarAhead('issued_in_future', 'iat', receivedAt);
  if (header.iat * MS_PER_SECOND < earliest) return tooLongAgo('issued_too_long_ago', 'iat', receivedAt);
  if (asOf * MS_PER_SECOND > latest) return tooFarAhead('as_of_in_future', 'as_of', receivedAt);
  if (asOf * MS_PER_SECOND < earliest) return tooLongAgo('as_of_too_long_ago', 'as_of', receivedAt);
  return null;
}

function tooFarAhead(reason: 'issued_in_future' | 'as_of_in_future', member: string, receivedAt: number): Refusal {
  return refusal(
    reason,
    `${member} is more than 5 minutes ahead of the server's time, which was ${iso(receivedAt)}. Set the clock and sign again.`,
  );
}

function tooLongAgo(reason: 'issued_too_long_ago' | 'as_of_too_long_ago', member: string, receivedAt: number): Refusal {
  return refusal(
    reason,
    `${member} is more than 90 days before the server's time, which was ${iso(receivedAt)}. Sign a newer snapshot.`,
  );
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
