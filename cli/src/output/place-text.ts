import type { JsonObject } from '../json.ts';
import type { RankChange } from '../net/own-standing.ts';
import { printable } from '../net/problem.ts';
import type { Standing } from '../net/public-board.ts';
import { grouped, momentText, yieldText } from './screen.ts';

/** `rank 12 of 340 (percentile 96.8), once 14 witnessed days vouch for it`. */
export function placeText({ rank, total_operators, percentile, needs }: Standing): string {
  const place = `rank ${grouped(rank)} of ${grouped(total_operators)} (percentile ${percentileText(percentile)})`;
  return [place, ...needsText(needs)].join(', ');
}

/** With one decimal, rounded down: 100 is that of the first rank alone. */
function percentileText(percentile: number): string {
  return grouped(Math.floor(percentile * 10) / 10);
}

/** `once 14 witnessed days vouch for it and a moderator has accepted it`, as one text; none where nothing is needed. */
export function needsText(needs: Standing['needs']): readonly string[] {
  const conditions = needs.flatMap(({ of, needs: number }) => {
    if (of === 'vouching_days')
      return `${grouped(number)} witnessed day${number === 1 ? ' vouches' : 's vouch'} for it`;
    return of === 'acceptance' ? 'a moderator has accepted it' : [];
  });
  return conditions.length === 0 ? [] : [`once ${conditions.join(' and ')}`];
}

/** `Next: rank 11 from Yield 130.5; tier POWER from Yield 1,000 (rank 3).` */
export function nextText({ next_place, next_tier }: Standing): string {
  const parts = [
    ...(next_place === null ? [] : [`rank ${grouped(next_place.rank)} from Yield ${yieldText(next_place.yield_)}`]),
    ...(next_tier === null
      ? []
      : [`tier ${next_tier.class_tier} from Yield ${yieldText(next_tier.yield_)} (rank ${grouped(next_tier.rank)})`]),
  ];
  return parts.length === 0
    ? 'Nothing is above: this is the first rank and the highest tier.'
    : `Next: ${parts.join('; ')}.`;
}

/** `rank 12 of 340 (percentile 96.8), tier BASE, Yield 120, up 3 in 24 h`: the parts that the profile and the standing have. */
export function standingText(profile: JsonObject): string {
  const { rank, total_operators, percentile, class_tier, yield_, movement_24h } = profile;
  const of =
    typeof total_operators === 'number'
      ? ` of ${grouped(total_operators)} (percentile ${typeof percentile === 'number' ? percentileText(percentile) : '-'})`
      : '';
  const parts = [typeof rank === 'number' ? `rank ${grouped(rank)}${of}` : 'not ranked'];
  if (typeof class_tier === 'string') parts.push(`tier ${printable(class_tier)}`);
  if (typeof yield_ === 'number') parts.push(`Yield ${yieldText(yield_)}`);
  if (typeof movement_24h === 'number' && movement_24h !== 0) {
    parts.push(`${movement_24h > 0 ? 'up' : 'down'} ${grouped(Math.abs(movement_24h))} in 24 h`);
  }
  return parts.join(', ');
}

/** `Up 3 since 2026-11-28 14:00 UTC: own counts +5, others -2.`; `rank` is the present one. Empty where it had and has none. */
export function changeText({ since, rank_then, change, own, field, method }: RankChange, rank: number | null): string {
  const at = momentText(since);
  if (rank_then === null) return rank === null ? '' : `It had no rank at ${at}.`;
  if (rank === null || change === null) return `It was rank ${grouped(rank_then)} at ${at}.`;
  const moved = change === 0 ? 'No change of rank' : `${change > 0 ? 'Up' : 'Down'} ${grouped(Math.abs(change))}`;
  const causes = Object.entries({ 'own counts': own ?? 0, others: field ?? 0, methodology: method ?? 0 });
  const split = causes.flatMap(([cause, places]) =>
    places === 0 ? [] : `${cause} ${places > 0 ? '+' : ''}${grouped(places)}`,
  );
  return `${moved} since ${at}${split.length === 0 ? '' : `: ${split.join(', ')}`}.`;
}
