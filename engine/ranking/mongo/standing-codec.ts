import type { Standing } from '../core/standing/index.ts';
import { bytesOf, doublesOf, toBinary } from './binary.ts';
import type { OperatorDocument } from './documents.ts';
import { decodeStreams, encodeStreams } from './stream-codec.ts';

type StoredStanding = Pick<OperatorDocument, 'hour' | 'totals' | 'platforms' | 'next_due' | 'streams'>;

/** Stands between the windows' platforms. No platform's name has it. */
const SEPARATOR = ',';

/** A standing in the form in which an operator's document keeps it. */
export function encodeStanding(standing: Standing): StoredStanding {
  return {
    hour: standing.hour,
    totals: toBinary(standing.totals),
    platforms: standing.platforms.map((platform) => platform ?? '').join(SEPARATOR),
    next_due: standing.nextDue,
    streams: toBinary(encodeStreams(standing.streams)),
  };
}

/** The standing in an operator's document; throws when its bytes are damaged. */
export function decodeStanding(stored: StoredStanding): Standing {
  return {
    hour: stored.hour,
    totals: doublesOf(stored.totals),
    platforms: decodePlatforms(stored.platforms),
    nextDue: stored.next_due,
    streams: decodeStreams(bytesOf(stored.streams)),
  };
}

/** The platform of each window; null where there are no tokens. */
export function decodePlatforms(stored: string): (string | null)[] {
  return stored.split(SEPARATOR).map((platform) => (platform === '' ? null : platform));
}
