import { WINDOWS } from './windows.ts';

/*
 * The daily archive: a folder of files. `links/N.json` is a chain: each link names the SHA-256 of the one before and is signed in
 * `links/N.jws`; a link of a day names its parts, which are `DAY/part-N.ndjson.gz`. `index.json` names the ends of the chain, and
 * `keys.json` holds the public keys. `recompute.mjs` beside this file checks all of it.
 */

/** Lines of a part; the last one of a day may have fewer. */
export const PART_LINES = 50_000;

/** What a line holds, in this order, as one JSON array; all but the line number are null in a line that was blanked. */
export const LINE_COLUMNS = [
  'line',
  ...WINDOWS.map((window) => `yield_${window}`),
  ...WINDOWS.map((window) => `rank_${window}`),
];

/** The percentiles whose Yields a day states: the p-th is that of place ceil(n × (100 − p) / 100) of n. */
export const QUANTILES = [1, 5, 10, 25, 50, 75, 90, 95, 99] as const;

export interface ArchiveDay {
  readonly type: 'upsilon_archive_day';
  readonly service: string;
  readonly license: string;
  /** As all days: `2026-05-04`. */
  readonly day: string;
  /** Days since the day before of which no board was kept, or none was archived. */
  readonly missing_days: readonly string[];
  /** The hour of the board, in ISO 8601, and its version. */
  readonly board_at: string;
  readonly board_version: number;
  /** Both with all of their data. */
  readonly methodology: object;
  readonly rule_set: object | null;
  readonly lines: number;
  /** From this day on the lines may be deleted. */
  readonly lines_until: string;
  readonly columns: readonly string[];
  /** By window: how many are ranked in it and in each tier, and the Yield at each percentile, to two digits. */
  readonly windows: Readonly<
    Record<string, { ranked: number; quantiles: Record<string, number>; tiers: Record<string, number> }>
  >;
  readonly parts: readonly { file: string; lines: number; bytes: number; sha256: string }[];
}

/** Lines of these parts were blanked because their operators were erased. */
export interface ArchiveAmendment {
  readonly type: 'upsilon_archive_amendment';
  readonly day: string;
  readonly parts: readonly { file: string; former_sha256: string; sha256: string; bytes: number; blanked: number }[];
}

/** The files of former links were lost; `previous` is the last of them. */
interface ArchiveGap {
  readonly type: 'upsilon_archive_gap';
  readonly lost_links: readonly [first: number, last: number];
  readonly last_day: string | null;
}

export type ArchiveContent = ArchiveDay | ArchiveAmendment | ArchiveGap;

/** Its number from 1, and the SHA-256 of the bytes of the link before; null in the first. */
export type ArchiveLink = { readonly link: number; readonly previous: string | null } & ArchiveContent;

export function linkFile(link: number, type: 'json' | 'jws' = 'json'): string {
  return `links/${String(link).padStart(6, '0')}.${type}`;
}

/** `part` counts from 1. */
export function partFile(day: string, part: number): string {
  return `${day}/part-${String(part).padStart(4, '0')}.ndjson.gz`;
}

/** Every file of an archive has one of these names. */
export const ARCHIVE_FILE =
  /^(?:index\.json|keys\.json|links\/\d{6}\.j(?:son|ws)|\d{4}-\d\d-\d\d\/part-\d{4}\.ndjson\.gz)$/;
