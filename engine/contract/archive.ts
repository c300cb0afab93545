import { createPublicKey, verify } from 'node:crypto';
import * as z from 'zod';
import { parseDetachedJws, signingInput } from './signing/detached-jws.ts';
import { percentileOf } from './tiers.ts';
import { WINDOWS } from './windows.ts';

/*
 * The daily archive: a folder of files. `links/N.json` is a chain: each link names the SHA-256 of the one before and is signed in
 * `links/N.jws`; a link of a day names its parts, which are `DAY/part-N.ndjson.gz`. `index.json` names the ends of the chain, and
 * `keys.json` holds the public keys.
 */

/** Lines of a part; the last one of a day may have fewer. */
export const PART_LINES = 50_000;

/** What a line holds, in this order, as one JSON array; all but the line number are null in a line that was blanked. */
export const LINE_COLUMNS = [
  'line',
  ...WINDOWS.map((window) => `yield_${window}`),
  ...WINDOWS.map((window) => `rank_${window}`),
];

/** The percentiles whose Yields a day states. */
export const QUANTILES = [1, 5, 10, 25, 50, 75, 90, 95, 99] as const;

const Hash = z.string().regex(/^[0-9a-f]{64}$/);
const Day = z.iso.date();
const File = z.string().regex(/^\d{4}-\d\d-\d\d\/part-\d{4}\.ndjson\.gz$/);
const Count = z.int().min(0);

/** Its number, and the SHA-256 of the bytes of the link before; null in the first. */
const LINK = { link: z.int().min(1), previous: Hash.nullable() };

const ArchiveDay = z.strictObject({
  type: z.literal('upsilon_archive_day'),
  ...LINK,
  service: z.string(),
  license: z.string(),
  day: Day,
  /** Days since the day before of which no board was kept, or none was archived. */
  missing_days: z.array(Day),
  /** The hour of the board, and its version. */
  board_at: z.iso.datetime(),
  board_version: Count,
  methodology: z.looseObject({
    id: z.int(),
    tiers: z.array(z.strictObject({ name: z.string(), from: z.number() })).min(1),
  }),
  rule_set: z.looseObject({}).nullable(),
  lines: Count,
  /** After this day the lines are deleted. */
  lines_until: Day,
  columns: z.array(z.string()),
  windows: z.record(
    z.string(),
    z.strictObject({
      ranked: Count,
      /** The Yield at each percentile, to two digits; absent without operators. */
      quantiles: z.record(z.string(), z.number()),
      tiers: z.record(z.string(), Count),
    }),
  ),
  parts: z.array(z.strictObject({ file: File, lines: Count, bytes: Count, sha256: Hash })),
});

/** Lines were blanked because their operators were erased. */
const ArchiveAmendment = z.strictObject({
  type: z.literal('upsilon_archive_amendment'),
  ...LINK,
  day: Day,
  changes: z
    .array(z.strictObject({ file: File, former_sha256: Hash, sha256: Hash, bytes: Count, blanked: z.int().min(1) }))
    .min(1),
});

/** The files of former links were lost; `previous` is the last of them. */
const ArchiveGap = z.strictObject({
  type: z.literal('upsilon_archive_gap'),
  ...LINK,
  lost_links: z.tuple([z.int().min(1), z.int().min(1)]),
  last_day: Day.nullable(),
});

export const ArchiveLink = z.discriminatedUnion('type', [ArchiveDay, ArchiveAmendment, ArchiveGap]);

export type ArchiveLink = z.output<typeof ArchiveLink>;
export type ArchiveDay = z.output<typeof ArchiveDay>;

/** The ends of the chain, and the SHA-256 of the last link. */
export const ArchiveIndex = z.strictObject({ first: z.int().min(1), last: z.int().min(1), sha256: Hash });

const ArchiveKey = z.strictObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  alg: z.literal('EdDSA'),
  use: z.literal('sig'),
  kid: z.string(),
  x: z.string(),
});

export const ArchiveKeys = z.strictObject({ keys: z.array(ArchiveKey) });

export type ArchiveKeys = z.output<typeof ArchiveKeys>;

const NUMBER_DIGITS = 6;

export function linkFile(link: number, type: 'json' | 'jws' = 'json'): string {
  return `links/${String(link).padStart(NUMBER_DIGITS, '0')}.${type}`;
}

/** `part` counts from 1. */
export function partFile(day: string, part: number): string {
  return `${day}/part-${String(part).padStart(4, '0')}.ndjson.gz`;
}

/** Every file of an archive has one of these names. */
export const ARCHIVE_FILE =
  /^(?:index\.json|keys\.json|links\/\d{6}\.j(?:son|ws)|\d{4}-\d\d-\d\d\/part-\d{4}\.ndjson\.gz)$/;

/** A line without its operator's numbers. */
export function blankLine(line: number): string {
  return `[${line}${',null'.repeat(LINE_COLUMNS.length - 1)}]\n`;
}

/** Whether one of the keys signed the bytes of a link. */
export function isSignedLink(bytes: Uint8Array, jws: string, { keys }: ArchiveKeys): boolean {
  const parsed = parseDetachedJws(jws.replace(/\n$/, ''));
  const header = z.strictObject({ alg: z.literal('EdDSA'), typ: z.literal('archive+jws'), kid: z.string() });
  const { data } = header.safeParse(parsed?.header);
  const key = keys.find(({ kid }) => kid === data?.kid);
  if (parsed === null || key === undefined) return false;
  const input = signingInput(parsed.protectedHeader, Buffer.from(bytes).toString('utf8'));
  return verify(null, input, createPublicKey({ key, format: 'jwk' }), Buffer.from(parsed.signature, 'base64url'));
}

/** The place, from 1 by descending Yield, of the lowest Yield whose percentile among `total` is at least this one. */
export function quantilePlace(percent: number, total: number): number {
  let place = Math.min(total, Math.ceil(total + 1 - ((percent - 0.01) * total) / 100));
  while (place > 1 && percentileOf(place, total) < percent) place -= 1;
  return place;
}

/** A quantile as it is stated: to two digits, so that it is no operator's Yield. */
export function quantileValue(yield_: number): number {
  return Number(yield_.toPrecision(2));
}

/** `2026-05-04`, of a number of days since the epoch. */
export function dayText(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

/** The days after one and before another. */
export function daysBetween(after: string, before: string): string[] {
  const [first, end] = [after, before].map((day) => Date.parse(day) / 86_400_000);
  return Array.from({ length: Math.max(0, end! - first! - 1) }, (_, index) => dayText(first! + 1 + index));
}
