/** Weekly letters: what they say. `engine/accounts` has who gets them, and when. */
import { readableDay } from '../../config/units.ts';
import { heldText, unrankedText } from '../contract/unranked.ts';
import type { BoardReader, RankChange } from '../ranking/index.ts';

const NUMBER = new Intl.NumberFormat('en-US');
/** Rounds down: no Yield reads as one that begins a higher tier. */
const YIELD = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4, roundingMode: 'trunc' });
const GAIN = new Intl.NumberFormat('en-US', { signDisplay: 'exceptZero' });

/** The letter of an operator, over all time on the newest board; null for an unknown codename. */
export function readLetter(reader: Pick<BoardReader, 'withBoardView'>, codename: string, siteUrl: string) {
  return reader.withBoardView(async (board) => {
    const profile = await board.profile(codename);
    const history = await board.history(codename, 'all_time');
    if (profile === null || history === null) return null;
    const { rank, yield_, class_tier: tier, unranked, would_be, missing } = profile.windows.all_time;
    const paragraphs = [weekText(history.changes['7d'])];
    let place = 'not ranked';
    if (rank === null || yield_ === null) {
      const why = unranked === 'held' ? `your Yield ${heldText(would_be, missing)}` : unrankedText(unranked);
      paragraphs.unshift(`You are not ranked over all time, because ${why}.`);
    } else {
      place = `rank ${NUMBER.format(rank)} of ${NUMBER.format(board.view.totals.all_time)}`;
      paragraphs.unshift(`You are ${place} over all time, with a Yield of ${YIELD.format(yield_)}, tier ${tier}.`);
      const next = (await board.standing({ window: 'all_time', yield_, without: codename }))?.next_tier;
      if (next)
        paragraphs.push(
          `The next tier, ${next.class_tier}, takes a Yield of ${YIELD.format(next.yield_)}: that would be rank ${NUMBER.format(next.rank)} now.`,
        );
    }
    return { subject: `${codename} on Upsilon: ${place}`, paragraphs, page: `${siteUrl}/operators/${codename}` };
  });
}

/** The former rank, and why it changed. */
function weekText(week: RankChange | null): string {
  if (week === null) return 'There is no board of seven days ago yet to compare with.';
  const { change, own, field, method } = week;
  const then = week.rank_then === null ? 'not ranked' : `rank ${NUMBER.format(week.rank_then)}`;
  const was = `Seven days ago (${readableDay(week.since)}) you were ${then}.`;
  if (change === null || own === null || field === null || method === null) return was;
  const places = `${NUMBER.format(Math.abs(change))} ${Math.abs(change) === 1 ? 'place' : 'places'}`;
  const moved = change === 0 ? 'Your rank is the same' : `You ${change > 0 ? 'gained' : 'lost'} ${places}`;
  return `${was} ${moved}: ${GAIN.format(own)} by your own counts, ${GAIN.format(field)} by those of others, ${GAIN.format(method)} by the methodology.`;
}

const WHY = 'You get this letter each week because you switched it on. To switch it off:';

type Letter = NonNullable<Awaited<ReturnType<typeof readLetter>>>;

/** A letter as text and as HTML; `endUrl` ends the letters. */
export function letterMail({ subject, paragraphs, page }: Letter, endUrl: string) {
  const linked = (address: string): string => `<a href="${escaped(address)}">${escaped(address)}</a>`;
  const parts = [...paragraphs.map(escaped), linked(page), `${WHY} ${linked(endUrl)}`];
  return {
    subject,
    text: `${[...paragraphs, page, `${WHY}\n${endUrl}`].join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>${escaped(subject)}</title>\n<p>${parts.join('</p>\n<p>')}</p></html>\n`,
    endUrl,
  };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
