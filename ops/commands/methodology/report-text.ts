import { WINDOWS } from '../../../engine/contract/index.ts';
import type { NamedComparison, NamedMover, RunStatus } from '../../../engine/ranking/index.ts';

/** Least rank change in a bucket of `movedBy`. */
const minPlaces = (bucket: number): number => (bucket === 0 ? 0 : 10 ** (bucket - 1));

/** Formats a preview's report for people. */
export function reportText({ report, from, methodology }: RunStatus): string {
  if (report === null) return 'There is no report.\n';
  const head = `Under methodology ${methodology} instead of ${from}:`;
  return `${[head, ...WINDOWS.flatMap((window) => ['', window, ...windowLines(report[window])])].join('\n')}\n`;
}

function windowLines(report: NamedComparison): string[] {
  const { rankedBefore, rankedAfter, newlyUnranked, newlyRanked, moved, movedBy, tierChanges } = report;
  const distribution = movedBy.map((operators, bucket) => `${operators} by ${placesOf(bucket)}`);
  return [
    `  ranked: ${rankedBefore} before, ${rankedAfter} after; ${newlyUnranked} no longer, ${newlyRanked} newly`,
    `  another rank: ${moved}${movedBy.length === 0 ? '' : ` (of those ranked in both: ${distribution.join(', ')})`}`,
    ...tierChanges.map(({ from, to, operators }) => `  tier ${from} to ${to}: ${operators}`),
    ...moverLines('climbs most', report.climbers),
    ...moverLines('falls most', report.fallers),
    ...moverLines('no longer ranked', report.unranked),
  ];
}

function placesOf(bucket: number): string {
  if (bucket === 0) return '0 places';
  return bucket === 1 ? '1 to 9' : `${minPlaces(bucket)} and more`;
}

function moverLines(what: string, movers: readonly NamedMover[]): string[] {
  return movers.map(
    ({ codename, before, after }) =>
      `  ${what}: ${codename ?? '(erased)'}, rank ${before ?? 'none'} to ${after ?? 'none'}`,
  );
}
