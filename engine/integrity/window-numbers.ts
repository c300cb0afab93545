import { PLATFORMS } from '../contract/platforms.ts';
import type { Counts } from '../contract/signing/index.ts';

/** Every platform that has a reference, after all others (empty). Stored numbers name a source by its place. */
export const SOURCES: readonly string[] = ['', ...PLATFORMS];

/** The place of a platform in `SOURCES`; 0 for others. */
export function sourceOf(platform: string | null): number {
  return Math.max(0, SOURCES.indexOf(platform ?? ''));
}

/**
 * What an operator's samples show in one window, after its four counts:
 *
 * - `source`: place of the platform with the most tokens in `SOURCES`.
 * - `unsupported`: tokens of output, or a share of cache reads, beyond what the input of each stream allows, summed over streams.
 * - `vouching`: witnessed days that vouch for the window's Yield.
 * - `days`: days (UTC) with growth; everything before the longest window counts as one.
 * - `spread`: standard error of ln Yield by the growth of each day (infinitesimal jackknife); −1 with fewer than two days.
 *
 * The place of each number among those of its window.
 */
export const PLACE_OF = {
  input: 0,
  output: 1,
  cache_read: 2,
  cache_write: 3,
  source: 4,
  unsupported: 5,
  vouching: 6,
  days: 7,
  spread: 8,
} as const satisfies Readonly<Record<keyof Counts, number>> & Readonly<Record<string, number>>;

/** Every number of a window, by name, in order. */
export const WINDOW_NUMBER_NAMES = Object.keys(PLACE_OF);

/** Numbers (doubles) of one window in an operator's totals. */
export const WINDOW_NUMBERS = WINDOW_NUMBER_NAMES.length;

/** A number of a window (by its index in WINDOWS) of an operator's totals. */
export function windowNumber(totals: Float64Array, window: number, name: keyof typeof PLACE_OF): number {
  return totals[window * WINDOW_NUMBERS + PLACE_OF[name]]!;
}

/** The output and the cache reads that a token of input supports: those of one response, and of the largest contexts. */
const SUPPORTED_OUTPUT = 200_000;
const SUPPORTED_READS = 4_000_000;
/** Cache reads that weigh as much as one token of output. */
export const READS_AN_OUTPUT = 80;

/** What a stream used beyond what its input supports, in tokens of output. */
export function unsupportedOf(input: number, output: number, reads: number): number {
  return Math.max(0, output - input * SUPPORTED_OUTPUT, (reads - input * SUPPORTED_READS) / READS_AN_OUTPUT);
}
