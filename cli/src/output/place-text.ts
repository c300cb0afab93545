import type { Standing } from '../net/public-board.ts';
import { grouped, yieldText } from './screen.ts';

/** `rank 12 of 340 (percentile 96.8), once 14 witnessed days vouch for it`. */
export function placeText({ rank, total_operators, percentile, needs }: Standing): string {
  const place = `rank ${grouped(rank)} of ${grouped(total_operators)} (percentile ${grouped(percentile)})`;
  return [place, ...needsText(needs)].join(', ');
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
