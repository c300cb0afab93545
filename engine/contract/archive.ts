import { WINDOWS } from './windows.ts';

/*
 * The daily archive: a folder of files. `link-N.jws` are a chain of signed links, each of which names the SHA-256 of the file before;
 * `last.jws` is the last of them once more. A link of a day names its parts, which are `DAY-part-N.ndjson.gz`, and `keys.json` holds
 * the public keys. `recompute.mjs` beside this file checks all of it.
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

/**
 * What a link states. That of a day has much more: see `write-days.ts` and the page. An amendment states which parts of a day changed
 * because lines of erased operators were blanked. A beginning states that the files of former links, if there were any, were lost.
 */
export interface ArchiveLink {
  readonly type: 'beginning' | 'day' | 'amendment';
  /** Goes on where a chain begins again. */
  readonly link: number;
  /** The link with which its chain begins. */
  readonly first: number;
  /** The SHA-256 of the file of the link before, also of a lost one; null in link 1. */
  readonly previous: string | null;
  /** The last day that was archived, up to this link. As all days: `2026-05-04`. */
  readonly newest_day: string | null;
  readonly day?: string;
  readonly lines?: number;
  readonly parts?: readonly ArchivePart[];
}

/** Of a day with its lines; of an amendment with what the file was before, and how many lines were blanked. */
export interface ArchivePart {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly [fact: string]: string | number;
}

/** What a link states: the payload of its compact JWS. */
export function linkOf(jws: string): ArchiveLink {
  return JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString());
}

export const LAST_FILE = 'last.jws';

export function linkFile(link: number): string {
  return `link-${String(link).padStart(6, '0')}.jws`;
}

/** `part` counts from 1. */
export function partFile(day: string, part: number): string {
  return `${day}-part-${String(part).padStart(4, '0')}.ndjson.gz`;
}

/** Every file of an archive has one of these names. */
export const ARCHIVE_FILE = /^(?:keys\.json|last\.jws|link-\d{6}\.jws|\d{4}-\d\d-\d\d-part-\d{4}\.ndjson\.gz)$/;
