import {
  COUNTINGS,
  type Counting,
  FORBIDDEN_HEADER_MEMBERS,
  MAX_CLI_LENGTH,
  MAX_EPOCH,
  SIGNATURE_ALG,
  SNAPSHOT_TYP,
  type SnapshotHeader,
} from './format.ts';

/** The reason why a protected header is refused, as a sentence for the client's developer. */
export interface HeaderRefusal {
  readonly refused: string;
}

/** A SHA-256 in base64url: 43 characters, the last of which carries four bits. */
const THUMBPRINT = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;
const IDENTIFIER = /^[A-Za-z0-9_-]{8,64}$/;
const PRINTABLE = new RegExp(`^[\\x20-\\x7e]{1,${MAX_CLI_LENGTH}}$`);

/**
 * Validates the parsed JSON of a snapshot's protected header.
 *
 * Does not check whether times are recent, which depends on when the snapshot is received. Unknown members are ignored unless
 * forbidden, as RFC 7515, section 4, requires; the last value of a repeated member applies.
 */
export function parseSnapshotHeader(value: unknown): SnapshotHeader | HeaderRefusal {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('is not a JSON object');
  for (const member of FORBIDDEN_HEADER_MEMBERS) {
    if (Object.hasOwn(value, member)) return refuse(`must not have the member ${member}`);
  }
  const { alg, typ, kid, jti, iat, as_of, stream, epoch, cli, counting } = value as Partial<Record<string, unknown>>;
  if (alg !== SIGNATURE_ALG) return refuse(`must have alg ${SIGNATURE_ALG}`);
  if (typ !== SNAPSHOT_TYP) return refuse(`must have typ ${SNAPSHOT_TYP}`);
  if (!isText(kid, THUMBPRINT)) return refuse('must have a kid that is an RFC 7638 SHA-256 thumbprint in base64url');
  if (!isText(jti, IDENTIFIER)) return refuse('must have a jti of 8 to 64 characters A-Z a-z 0-9 _ -');
  if (!isTime(iat)) return refuse('must have an iat in whole seconds');
  if (as_of !== undefined && !isTime(as_of)) return refuse('has an as_of that is not in whole seconds');
  if (stream !== undefined && !isText(stream, IDENTIFIER)) {
    return refuse('has a stream that is not 8 to 64 characters A-Z a-z 0-9 _ -');
  }
  if (epoch !== undefined && !isEpoch(epoch))
    return refuse(`has an epoch that is not an integer from 0 to ${MAX_EPOCH}`);
  if (cli !== undefined && !isText(cli, PRINTABLE)) {
    return refuse(`has a cli that is not 1 to ${MAX_CLI_LENGTH} printable ASCII characters`);
  }
  if (counting !== undefined && !isCounting(counting)) {
    return refuse(`has a counting that is not one of ${COUNTINGS.join(', ')}`);
  }
  return { alg, typ, kid, jti, iat, as_of, stream, epoch, cli, counting };
}

function refuse(what: string): HeaderRefusal {
  return { refused: `The protected header ${what}.` };
}

function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isCounting(value: unknown): value is Counting {
  return COUNTINGS.some((counting) => counting === value);
}

function isEpoch(value: unknown): value is number {
  return isTime(value) && value <= MAX_EPOCH;
}
