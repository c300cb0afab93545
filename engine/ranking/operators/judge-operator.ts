import { WINDOWS, type Window } from '../../contract/windows.ts';
import { rulesIn } from '../../integrity/index.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { scoreRecord, type WindowResult } from '../core/score-record.ts';

/** How a window of an operator is judged. */
export interface WindowJudgement extends Pick<WindowResult, 'need' | 'vouching'> {
  readonly window: Window;
  readonly yield_: number;
  readonly row: NonNullable<WindowResult['row']>;
  /** The rules that it crosses. */
  readonly rules: readonly string[];
}

/** How an operator stands under the methodology of the current board. */
export interface Judgement {
  readonly operator: number;
  readonly codename: string;
  /** False: it is on no board. */
  readonly listed: boolean;
  readonly boardVersion: number;
  /** Up to which Yield its rows are accepted; 0 for none. */
  readonly accepted: number;
  /** The windows with a Yield. */
  readonly windows: readonly WindowJudgement[];
}

/** Judges an operator's record; null when there is no such operator, or no board. */
export async function judgeOperator(context: RankingContext, wanted: string): Promise<Judgement | null> {
  const [summary, manifest] = await Promise.all([
    context.stores.operators.byCodename(wanted),
    context.stores.board.read(),
  ]);
  if (summary === null || manifest === null) return null;
  const { operator, codename, listed, assertions } = summary;
  const windows = scoreRecord(summary, methodologyOf(context, manifest)).flatMap((result, window) => {
    const { score, row, mask, need, vouching } = result;
    if (score === null || row === null) return [];
    const rules = rulesIn(mask).map(({ name }) => name);
    return [{ window: WINDOWS[window]!, yield_: score.yield_, row, rules, need, vouching }];
  });
  return { operator, codename, listed, boardVersion: manifest.version, accepted: assertions.waived[0]!, windows };
}
