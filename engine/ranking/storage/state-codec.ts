import { COUNT_FIELDS } from '../../contract/signing/index.ts';
import { WINDOWS } from '../../contract/windows.ts';
import type { OperatorState } from '../core/operator-state/index.ts';
import { bytesOf, doublesOf, toBinary } from './binary.ts';
import type { OperatorDocument } from './documents.ts';
import { decodeStreams, encodeStreams } from './stream-codec.ts';

type StoredState = Pick<OperatorDocument, 'hour' | 'totals' | 'platforms' | 'next_due' | 'streams'>;

/** Separates the windows' platforms. No platform name contains it. */
const SEPARATOR = ',';

/** Encodes an operator state into fields of the operator's document. */
export function encodeState(operatorState: OperatorState): StoredState {
  return {
    hour: operatorState.hour,
    totals: toBinary(operatorState.totals),
    platforms: operatorState.platforms.map((platform) => platform ?? '').join(SEPARATOR),
    next_due: operatorState.nextDue,
    streams: toBinary(encodeStreams(operatorState.streams)),
  };
}

/** Decodes the operator state of a document; throws when its bytes are damaged. */
export function decodeState(stored: StoredState): OperatorState {
  return {
    hour: stored.hour,
    totals: decodeTotals(stored.totals),
    platforms: decodePlatforms(stored.platforms),
    nextDue: stored.next_due,
    streams: decodeStreams(bytesOf(stored.streams)),
  };
}

/** The totals of each window. Throws for those of other windows than this release has. */
export function decodeTotals(stored: OperatorDocument['totals']): Float64Array {
  const totals = doublesOf(stored);
  if (totals.length === WINDOWS.length * COUNT_FIELDS.length) return totals;
  throw new Error(`an operator's ${totals.length} totals are not those of the windows ${WINDOWS.join(', ')}`);
}

/** The platform of each window; null without tokens. */
export function decodePlatforms(stored: string): (string | null)[] {
  return stored.split(SEPARATOR).map((platform) => (platform === '' ? null : platform));
}
