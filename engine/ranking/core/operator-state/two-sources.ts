import { AGREEMENT_PERCENT, COUNT_FIELDS, MAX_AGREEMENT_DAYS } from '../../../contract/signing/index.ts';
import { newestValue, valueBefore } from './counter-series.ts';
import { dayOf, firstHourOf } from './hours.ts';
import type { OperatorState, Stream } from './operator-state.ts';
import { daysUntil } from './provenance.ts';

/** Least days that must agree, and their least share among those that were compared. */
const MIN_DAYS = 7;
const MIN_SHARE = 0.8;

/**
 * Whether the logs and the metrics of the operator's AI tools agree: on enough of the last 30 full days, for streams with
 * nearly all tokens of this time. A day agrees when a stream of it does and none differs. Days are full as of the state's hour,
 * which can be long past, or where a snapshot states something of them.
 */
export function twoSources({ streams, hour }: Pick<OperatorState, 'streams' | 'hour'>): boolean {
  const stated = streams.flatMap(({ provenance }) => provenance?.agreement?.day ?? []);
  if (stated.length === 0) return false;
  const today = Math.max(dayOf(hour), Math.max(...stated) + 1);
  let [agreed, differed, tokens, compared] = [0, 0, 0, 0];
  for (const stream of streams) {
    const used = tokensSince(stream, firstHourOf(today - MAX_AGREEMENT_DAYS));
    tokens += used;
    const agreement = stream.provenance?.agreement;
    if (!agreement) continue;
    const days = daysUntil(agreement, today - 1);
    agreed |= days.agreed;
    differed |= days.differed;
    if (days.agreed !== 0) compared += used;
  }
  const agreeing = countOf(agreed & ~differed);
  if (agreeing < MIN_DAYS || agreeing < MIN_SHARE * countOf(agreed | differed)) return false;
  return compared * 100 >= tokens * (100 - AGREEMENT_PERCENT);
}

function tokensSince({ series }: Stream, hour: number): number {
  return COUNT_FIELDS.reduce((sum, _, field) => sum + newestValue(series, field) - valueBefore(series, hour, field), 0);
}

/** The number of days in a set. */
function countOf(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}
