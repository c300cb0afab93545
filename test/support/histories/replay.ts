import { MS_PER_SECOND } from '../../../config/units.ts';
import {
  applySamples,
  emptyState,
  hourOf,
  type OperatorState,
} from '../../../engine/ranking/core/operator-state/index.ts';
import { receiptKey } from '../../../engine/ranking/core/operator-state/receipts.ts';
import type { History } from './history.ts';

/** The states of an operator while its history is submitted: after each hour with submissions, at most `most` of them. */
export function* replay({ submissions }: History, most = Number.POSITIVE_INFINITY): Generator<OperatorState> {
  const hours = [...new Set(submissions.map(({ at }) => hourOf(at)))];
  const shown = new Set(
    hours.filter((_, index) => index % Math.max(1, Math.ceil(hours.length / most)) === 0).concat(hours.at(-1) ?? []),
  );
  let operatorState = emptyState(hours[0] ?? 0);
  let from = 0;
  for (const hour of hours) {
    const until = submissions.findIndex(({ at }, index) => index >= from && hourOf(at) > hour);
    const part = submissions.slice(from, until < 0 ? submissions.length : until);
    from += part.length;
    const samples = part.map(({ at, stream: ledger, platform, epoch, asOf, counts }) => {
      const dated = hourOf(Math.floor(asOf / MS_PER_SECOND) * MS_PER_SECOND);
      return { ledger, platform, epoch, hour: dated, counts, receipt: receiptKey(at, dated) };
    });
    operatorState = applySamples(operatorState, samples, hour).operatorState;
    if (shown.has(hour)) yield operatorState;
  }
}
