import type { Window } from '../engine/contract/index.ts';

/** The windows in display order, with their label and their words in a sentence. */
export const WINDOW_WORDS: readonly (readonly [window: Window, label: string, sentence: string])[] = [
  ['all_time', 'All time', 'of all time'],
  ['7d', '7 days', 'of the last 7 days'],
  ['30d', '30 days', 'of the last 30 days'],
  ['90d', '90 days', 'of the last 90 days'],
];

export function windowSentence(window: Window): string {
  return WINDOW_WORDS.find(([name]) => name === window)?.[2] ?? '';
}

export function windowLabel(window: Window): string {
  return WINDOW_WORDS.find(([name]) => name === window)?.[1] ?? '';
}
