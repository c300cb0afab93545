import { type Window, windowSentence } from './windows.ts';

/** What is shared of an operator. */
export interface Shared {
  /** Of the website, without a slash at its end. */
  readonly siteUrl: string;
  readonly codename: string;
  /** Null without a rank. */
  readonly rank: number | null;
  readonly total: number;
  readonly class_tier: string | null;
  readonly witnessed_days: number | null;
  readonly provisional: boolean;
}

/** Badge and card, ready to paste, and a text for a post. Codenames and addresses contain nothing that Markdown or HTML interprets. */
export function shareSnippets(shared: Shared, window: Window = 'all_time') {
  const { siteUrl, codename } = shared;
  const query = window === 'all_time' ? '' : `?window=${window}`;
  const page = `${siteUrl}/operators/${codename}${query}`;
  const alt = `${codename} on Upsilon`;
  const pictures = ['badge', 'card'].map((kind) => ({ kind, source: `${siteUrl}/${kind}/${codename}.svg${query}` }));
  return [
    ...pictures.map(({ kind, source }) => {
      return { label: `The ${kind} in Markdown`, language: 'markdown', text: `[![${alt}](${source})](${page})` };
    }),
    ...pictures.map(({ kind, source }) => {
      const image = `<img src="${source}" alt="${alt}">`;
      return { label: `The ${kind} in HTML`, language: 'html', text: `<a href="${page}">${image}</a>` };
    }),
    { label: 'A text for a post', language: 'text', text: `${postText(shared, window)} ${page}` },
  ];
}

/** It says how far the row can be relied on, as the page does. */
function postText({ codename, rank, total, class_tier, witnessed_days: days, provisional }: Shared, window: Window) {
  const [place, of] = [rank, total].map((number) => number?.toLocaleString('en-US'));
  const parts = [
    rank === null ? 'not ranked yet' : `rank ${place} of ${of} AI operators ${windowSentence(window)}`,
    ...(rank === null || class_tier === null ? [] : [`tier ${class_tier}`]),
    ...(days === null ? [] : [`usage witnessed on ${days} of 45 days`]),
    ...(rank !== null && provisional ? ['provisional'] : []),
  ];
  return `${codename} on Upsilon: ${parts.join(', ')}.`;
}
