import type { MarkSeries, Standing, Stream } from '../core/standing/index.ts';
import { bytesOf, doublesOf, toBinary } from './binary.ts';
import type { OperatorDocument, StreamDocument } from './documents.ts';

const BYTES_AN_HOUR = 4;
const BYTES_A_MARK = BYTES_AN_HOUR + 4 * 8;

type StoredStanding = Pick<OperatorDocument, 'hour' | 'totals' | 'platforms' | 'next_due' | 'streams'>;

function encodeMarks({ hours, counts }: MarkSeries): StreamDocument['marks'] {
  const bytes = new Uint8Array(hours.length * BYTES_A_MARK);
  bytes.set(new Uint8Array(hours.buffer, hours.byteOffset, hours.byteLength));
  bytes.set(new Uint8Array(counts.buffer, counts.byteOffset, counts.byteLength), hours.byteLength);
  return toBinary(bytes);
}

function decodeMarks(marks: StreamDocument['marks']): MarkSeries {
  const bytes = Uint8Array.from(bytesOf(marks));
  if (bytes.length % BYTES_A_MARK !== 0) throw new Error(`a mark series of ${bytes.length} bytes is damaged`);
  const split = (bytes.length / BYTES_A_MARK) * BYTES_AN_HOUR;
  return { hours: new Uint32Array(bytes.slice(0, split).buffer), counts: new Float64Array(bytes.slice(split).buffer) };
}

/** A standing in the form in which an operator's document keeps it. */
export function encodeStanding(standing: Standing): StoredStanding {
  return {
    hour: standing.hour,
    totals: toBinary(standing.totals),
    platforms: [...standing.platforms],
    next_due: standing.nextDue,
    streams: standing.streams.map(({ ledger, platform, epoch, series }) => ({
      ledger,
      platform,
      epoch,
      marks: encodeMarks(series),
    })),
  };
}

/** The standing in an operator's document; throws when its bytes are damaged. */
export function decodeStanding(stored: StoredStanding): Standing {
  return {
    hour: stored.hour,
    totals: doublesOf(stored.totals),
    platforms: stored.platforms,
    nextDue: stored.next_due,
    streams: stored.streams.map(
      ({ ledger, platform, epoch, marks }): Stream => ({ ledger, platform, epoch, series: decodeMarks(marks) }),
    ),
  };
}
