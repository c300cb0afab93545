import { MS_PER_SECOND } from '../../../../config/units.ts';
import type { RefusalCode } from '../../../contract/refusals.ts';
import {
  canonicalPayload,
  type DetachedJws,
  MAX_CLOCK_SKEW_MS,
  MAX_SNAPSHOT_AGE_MS,
  parseDetachedJws,
  parseSnapshotHeader,
  type SnapshotHeader,
  signingInput,
} from '../../../contract/signing/index.ts';
import { type Provenance, VERSION_STEP } from '../../core/operator-state/index.ts';
import type { DeviceKey, DeviceKeyLookup, LogEntry } from '../../types.ts';
import { verifySignature } from './verify-signature.ts';

const VERSION = /^(\d{1,4})\.(\d{1,4})\.(\d{1,4})(?![\d.])/;

/** Signatures verified in one turn of the event loop: about two milliseconds. */
const VERIFIED_A_TURN = 32;

const KEY_UNKNOWN = refusal(
  'key_unknown',
  'No device key has this kid. Enrol the key, then sign and submit a new snapshot.',
);
const KEY_FOREIGN = refusal('key_foreign', 'This device key belongs to another operator. Sign with a key of your own.');

/** The refusal for a key owned by `owner` (null: unknown key); null when the operator owns the key. */
export function ownerRefusal(operator: number, owner: number | null): Refusal | null {
  if (owner === null) return KEY_UNKNOWN;
  return owner === operator ? null : KEY_FOREIGN;
}

interface ReadEntry {
  readonly ok: true;
  readonly entry: LogEntry;
  readonly jws: DetachedJws;
  readonly header: SnapshotHeader;
}

/**
 * Verifies log entries, each as of its `receivedAt`, so that a later verification gives the same result. Returns results in
 * the order of the entries. All keys are loaded by one lookup; signatures are verified in slices of one event-loop turn each.
 * Rejects only when the lookup or the runtime fails, never because of an entry's content.
 */
export async function verifyEntries(
  entries: readonly LogEntry[],
  deviceKeys: DeviceKeyLookup,
): Promise<readonly VerificationResult[]> {
  const readEntries = entries.map(readEntry);
  const kids = new Set<string>();
  for (const read of readEntries) if (read.ok) kids.add(read.header.kid);
  const keys = await keysOf(readEntries, [...kids], deviceKeys);
  const results: VerificationResult[] = [];
  for (const read of readEntries) {
    results.push(read.ok ? verifyEntry(read, keys.get(read.header.kid)) : read);
    if (results.length % VERIFIED_A_TURN === 0) await new Promise(setImmediate);
  }
  return results;
}

/** Loads the keys. A key of another operator is loaded again without the cache before its entry is refused. */
async function keysOf(
  readEntries: readonly (ReadEntry | Refusal)[],
  kids: readonly string[],
  deviceKeys: DeviceKeyLookup,
): Promise<ReadonlyMap<string, DeviceKey>> {
  if (kids.length === 0) return new Map();
  const keys = await deviceKeys(kids);
  const foreign = new Set<string>();
  for (const read of readEntries) {
    const key = read.ok ? keys.get(read.header.kid) : undefined;
    if (read.ok && key !== undefined && key.operator !== read.entry.operator) foreign.add(key.kid);
  }
  return foreign.size === 0 ? keys : new Map([...keys, ...(await deviceKeys([...foreign], true))]);
}

function readEntry(entry: LogEntry): ReadEntry | Refusal {
  const jws = parseDetachedJws(entry.signature);
  if (jws === null) {
    return refusal(
      'header_invalid',
      'The signature is not a compact JWS of an Ed25519 signature with detached payload.',
    );
  }
  const header = parseSnapshotHeader(jws.header);
  if ('refused' in header) return refusal('header_invalid', header.refused);
  if (header.jti !== entry.jti) {
    return refusal(
      'header_invalid',
      'The protected header has another jti than the one the snapshot was logged under.',
    );
  }
  return { ok: true, entry, jws, header };
}

/** Cheap checks run first: verifying a signature costs more than all of them together. */
function verifyEntry({ entry, jws, header }: ReadEntry, key: DeviceKey | undefined): VerificationResult {
  if (key === undefined) return KEY_UNKNOWN;
  const refused = checkKey(entry, key) ?? checkTimes(header, entry.receivedAt);
  if (refused !== null) return refused;
  const signed = signingInput(jws.protectedHeader, canonicalPayload(entry.payload));
  if (!verifySignature(signed, key.publicKey, Buffer.from(jws.signature, 'base64url'))) {
    return refusal(
      'signature_invalid',
      'The signature does not fit these counts, codename and platform under this key.',
    );
  }
  return {
    ok: true,
    kid: header.kid,
    stream: header.stream ?? header.kid,
    epoch: header.epoch ?? 0,
    asOf: (header.as_of ?? header.iat) * MS_PER_SECOND,
    provenance: statedProvenance(header),
  };
}

function checkKey(entry: LogEntry, key: DeviceKey): Refusal | null {
  if (key.operator !== entry.operator) return KEY_FOREIGN;
  if (key.revokedAt !== null && key.revokedAt <= entry.receivedAt) {
    return refusal('key_revoked', 'This device key has been revoked. Enrol a new key, then sign again.');
  }
  return null;
}

/** The verification result of one log entry. */
export type VerificationResult =
  | {
      readonly ok: true;
      readonly kid: string;
      /** The ledger: the header's `stream`, else the `kid`. */
      readonly stream: string;
      readonly epoch: number;
      /** The time of the totals, in milliseconds since the epoch: the header's `as_of`, else its `iat`. */
      readonly asOf: number;
      /** What the header states about the counts; null where it does not. */
      readonly provenance: Provenance | null;
    }
  | Refusal;

/** A refusal: a stable code, and a sentence that says how to correct the snapshot. */
export interface Refusal {
  readonly ok: false;
  readonly reason: RefusalCode;
  readonly detail: string;
}

export function refusal(reason: RefusalCode, detail: string): Refusal {
  return { ok: false, reason, detail };
}

/** The refusal of a header's times, or null. `receivedAt` in milliseconds; both limits are inclusive. */
function checkTimes(header: SnapshotHeader, receivedAt: number): Refusal | null {
  const latest = receivedAt + MAX_CLOCK_SKEW_MS;
  const earliest = receivedAt - MAX_SNAPSHOT_AGE_MS;
  const asOf = header.as_of ?? header.iat;
  if (header.iat * MS_PER_SECOND > latest) return tooFarAhead('issued_in_future', 'iat', receivedAt);
  if (header.iat * MS_PER_SECOND < earliest) return tooLongAgo('issued_too_long_ago', 'iat', receivedAt);
  if (asOf * MS_PER_SECOND > latest) return tooFarAhead('as_of_in_future', 'as_of', receivedAt);
  if (asOf * MS_PER_SECOND < earliest) return tooLongAgo('as_of_too_long_ago', 'as_of', receivedAt);
  return null;
}

function tooFarAhead(reason: 'issued_in_future' | 'as_of_in_future', member: string, receivedAt: number): Refusal {
  return refusal(
    reason,
    `${member} is more than 5 minutes ahead of the server's time, which was ${iso(receivedAt)}. Set the clock and sign again.`,
  );
}

function tooLongAgo(reason: 'issued_too_long_ago' | 'as_of_too_long_ago', member: string, receivedAt: number): Refusal {
  return refusal(
    reason,
    `${member} is more than 90 days before the server's time, which was ${iso(receivedAt)}. Sign a newer snapshot.`,
  );
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** What a header states; null without `counting`. A `cli` that does not begin with a version of three numbers has none. */
function statedProvenance({ counting, cli }: Pick<SnapshotHeader, 'counting' | 'cli'>): Provenance | null {
  if (counting === undefined) return null;
  const parts = VERSION.exec(cli ?? '')?.slice(1) ?? [];
  const version = parts.reduce((sum, part) => sum * VERSION_STEP + Number(part), 0);
  return { counting, version };
}
