import { WINDOWS } from '../../../engine/contract/index.ts';
import type { NamedComparison, NamedMover, RunStatus } from '../../../engine/ranking/index.ts';

/** Places moved at least, by class of `movedBy`. */
const minPlaces = (group: number): number => (group === 0 ? 0 : 10 ** (group - 1));

/** A preview's report in words. */
export function reportText({ report, from, methodology }: RunStatus): string {
  if (report === null) return 'There is no report.\n';
  const head = `Under methodology ${methodology} instead of ${from}:`;
  return `${[head, ...WINDOWS.flatMap((window) => ['', window, ...windowLines(report[window])])].join('\n')}\n`;
}

function windowLines(report: NamedComparison): string[] {
  const { rankedBefore, rankedAfter, newlyUnranked, newlyRanked, moved, movedBy, tierChanges } = report;
  const distribution = movedBy.map((operators, group) => `${operators} by ${placesOf(group)}`);
  return [
    `  ranked: ${rankedBefore} before, ${rankedAfter} after; ${newlyUnranked} no longer, ${newlyRanked} newly`,
    `  another rank: ${moved}${movedBy.length === 0 ? '' : ` (of those ranked in both: ${distribution.join(', ')})`}`,
    ...tierChanges.map(({ from, to, operators }) => `  tier ${from} to ${to}: ${operators}`),
    ...moverLines('climbs most', report.climbers),
    ...moverLines('falls most', report.fallers),
    ...moverLines('no longer ranked', report.unranked),
  ];
}

function placesOf(group: number): string {
  if (group === 0) return '0 places';
  return group === 1 ? '1 to 9' : `${minPlaces(group)} and more`;
}

function moverLines(what: string, movers: readonly NamedMover[]): string[] {
  return movers.map(
    ({ codename, before, after }) =>
      `  ${what}: ${codename ?? '(erased)'}, rank ${before ?? 'none'} to ${after ?? 'none'}`,
  );
}
