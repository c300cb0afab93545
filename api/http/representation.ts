import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { weightedMembers } from './negotiate.ts';

/** A finished body: the bytes as they are sent, in each available encoding, and the validator. */
export interface Representation {
  readonly mediaType: string;
  readonly identity: Buffer;
  /** Null where compressing gains nothing. */
  readonly gzip: Buffer | null;
  readonly br: Buffer | null;
  /** The opaque part of the strong ETag; each encoding adds its own suffix. */
  readonly tag: string;
}

export type ContentCoding = 'identity' | 'gzip' | 'br';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Bodies smaller than this many bytes fit one packet anyway. */
const MIN_COMPRESSED_BYTES = 1_000;

const GZIP_LEVEL = 6;
const BROTLI_QUALITY = 5;

/** Characters of the digest that make a tag: 132 bits. */
const TAG_LENGTH = 22;

const TAG_SUFFIX: Readonly<Record<ContentCoding, string>> = { identity: '', gzip: '-gz', br: '-br' };

/** Finishes a body. With `compress`, also compresses it, which takes about a millisecond: for bodies sent many times. */
export function represent(body: string | Buffer, mediaType: string, compress: boolean): Representation {
  const identity = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
  const worthIt = compress && identity.length >= MIN_COMPRESSED_BYTES;
  return {
    mediaType,
    identity,
    gzip: worthIt ? gzipSync(identity, { level: GZIP_LEVEL }) : null,
    br: worthIt ? brotliCompressSync(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }) : null,
    tag: createHash('sha256').update(identity).digest('base64url').slice(0, TAG_LENGTH),
  };
}

export function representJson(body: unknown, compress: boolean): Representation {
  return represent(JSON.stringify(body), JSON_TYPE, compress);
}

/** The strong entity tag of one encoding, quoted. */
export function entityTag(representation: Representation, coding: ContentCoding): string {
  return `"${representation.tag}${TAG_SUFFIX[coding]}"`;
}

/** The bytes of one encoding; those of identity where it was not made. */
export function bytesOf(representation: Representation, coding: ContentCoding): Buffer {
  return coding === 'identity' ? representation.identity : (representation[coding] ?? representation.identity);
}

/** The encoding to send for an Accept-Encoding value: br before gzip before identity among those that weigh alike. */
export function chooseCoding(representation: Representation, acceptEncoding: string | undefined): ContentCoding {
  if (acceptEncoding === undefined || representation.gzip === null) return 'identity';
  const weights = weightsOf(acceptEncoding);
  const weight = (coding: ContentCoding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const available: ContentCoding[] = representation.br === null ? ['gzip'] : ['br', 'gzip'];
  let best: ContentCoding = 'identity';
  let bestWeight = weights.get('identity') ?? 0;
  for (const coding of available.toReversed()) {
    if (weight(coding) > 0 && weight(coding) >= bestWeight) {
      best = coding;
      bestWeight = weight(coding);
    }
  }
  return best;
}

/** Whether an Accept-Encoding value prefers gzip over a body that is not compressed. */
export function takesGzip(acceptEncoding: string | undefined): boolean {
  const weights = weightsOf(acceptEncoding ?? '');
  const weight = weights.get('gzip') ?? weights.get('*') ?? 0;
  return weight > 0 && weight >= (weights.get('identity') ?? 0);
}

function weightsOf(acceptEncoding: string): ReadonlyMap<string, number> {
  return new Map(weightedMembers(acceptEncoding).map(({ name, weight }) => [name, weight]));
}

/** Whether an If-None-Match value names the tag (RFC 9110, 13.1.2: compared weakly; `*` names any). */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((part) => {
    const candidate = part.trim();
    return candidate === '*' || candidate === tag || candidate === `W/${tag}`;
  });
}
