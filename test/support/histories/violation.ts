import { HOUR_MS } from '../../../config/units.ts';
import { countNumbers } from '../../../engine/contract/signing/index.ts';
import type { History, Submission } from './history.ts';
import { SOURCE_MODELS } from './source-models.ts';

const LARGEST_CONTEXT = 2e6;
/** More than 180 agents of 150 output tokens a second write, and far more than they read. */
const [OUTPUT_AN_HOUR, READS_AN_HOUR] = [1e8, 1e12];
/** Growth that no run of records with 0 in place of the input explains. */
const [SOME_OUTPUT, SOME_READS] = [250_000, 2e7];
/** Tokens of a first record whose input a tool did not log. */
const LOST_REQUEST = 50_000;

/** The submissions of each stream, platform and epoch, in the order of their times. */
export function seriesOf({ submissions }: Pick<History, 'submissions'>): Submission[][] {
  const series = new Map<string, Submission[]>();
  for (const each of submissions) {
    const key = `${each.stream} ${each.platform} ${each.epoch}`;
    series.set(key, [...(series.get(key) ?? []), each]);
  }
  return [...series.values()].map((own) => own.sort((left, right) => left.asOf - right.asOf || left.at - right.at));
}

/** What the totals of a history violate, by plain rules: the measure for what its kind declares. */
export function violationOf(
  history: Pick<History, 'submissions'>,
  largestContext = LARGEST_CONTEXT,
): History['beyond'] {
  const all = seriesOf(history);
  const times = history.submissions.map(({ asOf }) => asOf);
  const span = Math.max(1, (Math.max(...times) - Math.min(...times)) / HOUR_MS);
  const grown = all.reduce((sum, own) => sum + own.at(-1)!.counts.output - own[0]!.counts.output, 0);
  let beyond: History['beyond'] = grown > OUTPUT_AN_HOUR * span ? 'physics' : null;
  for (const series of all) {
    const since = SOURCE_MODELS.find(({ platform }) => platform === series[0]!.platform)?.since ?? Date.UTC(2023, 0);
    let [before, asOf] = [[0, 0, 0, 0], since];
    let [now, standing] = [before, before];
    for (const [index, each] of series.entries()) {
      now = countNumbers(each.counts).map((count, field) => Math.max(count, now[field]!));
      if (!now.every(Number.isInteger) || (now[0] === 0 && now[1]! + now[2]! > LOST_REQUEST)) return 'arithmetic';
      if (series[index + 1]?.asOf === each.asOf) continue;
      if (now[0]! > standing[0]!) standing = now;
      if (now[1]! - standing[1]! > SOME_OUTPUT || now[2]! - standing[2]! > SOME_READS) return 'arithmetic';
      const [input, output, reads] = now.map((count, field) => count - before[field]!);
      const hours = Math.max(1, (each.asOf - asOf) / HOUR_MS);
      if (output! > OUTPUT_AN_HOUR * hours || reads! > READS_AN_HOUR * hours) beyond = 'physics';
      if (reads! > Math.max(SOME_READS, input! * largestContext)) beyond = 'physics';
      if (now[2]! > Math.max(LOST_REQUEST, now[0]! * largestContext)) beyond = 'physics';
      [before, asOf] = [now, each.asOf];
    }
  }
  return beyond;
}
