import { createHash } from 'node:crypto';
import {
  canonical,
  namedDeviceKey,
  signDetached,
  snapshotHeader,
  type TestDeviceKey,
  type TestPayload,
} from '../support/signing.ts';
import type { ExpectedOutcome, SnapshotVector, VectorKey } from './vector-types.ts';

/** When most vectors are received. */
export const RECEIVED_AT = '2026-03-01T12:00:00.000Z';
export const RECEIVED_AT_MS = Date.parse(RECEIVED_AT);

/** When most vectors are signed, in whole seconds: half a minute before. */
export const IAT = RECEIVED_AT_MS / 1_000 - 30;

export const OPERATOR = 7;
export const OTHER_OPERATOR = 8;

/** Keys of the vectors by name, with their owner and the moment of their revocation. */
export const CAST: Readonly<Record<string, readonly [operator: number, revokedAt: string | null]>> = {
  own: [OPERATOR, null],
  second: [OPERATOR, null],
  foreign: [OTHER_OPERATOR, null],
  'revoked long before': [OPERATOR, '2026-01-15T00:00:00.000Z'],
  'revoked at that moment': [OPERATOR, RECEIVED_AT],
  'revoked just after': [OPERATOR, '2026-03-01T12:00:00.001Z'],
};

export const OWN = namedDeviceKey('own');

export const PAYLOAD: TestPayload = {
  codename: 'sample-fox',
  input: 120_000,
  output: 450_000,
  cache_read: 9_800_000,
  cache_write: 610_000,
};

export function vectorKeys(): readonly VectorKey[] {
  return Object.entries(CAST).map(([name, [operator, revokedAt]]) => {
    const { kid, x, seed } = namedDeviceKey(name);
    return { name, kid, x, seed: seed.toString('hex'), operator, revoked_at: revokedAt };
  });
}

/** What a vector changes of the plain case. */
export interface Variation {
  readonly why?: string;
  readonly key?: TestDeviceKey;
  readonly payload?: TestPayload;
  /** Members replaced in or added to the header. */
  readonly header?: Readonly<Record<string, unknown>>;
  /** The whole header text, instead. */
  readonly headerText?: string;
  /** Changes the finished signature. */
  readonly alter?: (signature: string) => string;
  /** Changes the finished body text. */
  readonly alterBody?: (body: string) => string;
  readonly receivedAt?: string;
}

/** The plain snapshot with one variation. */
export function makeVector(name: string, expected: ExpectedOutcome, variation: Variation = {}): SnapshotVector {
  const { why, key = OWN, payload = PAYLOAD, receivedAt = RECEIVED_AT } = variation;
  const headerText = variation.headerText ?? headerTextOf(name, key, variation.header);
  const plain = signDetached(key, headerText, canonical(payload));
  const signature = variation.alter?.(plain) ?? plain;
  const body = JSON.stringify({ ...payload, signature });
  return {
    name,
    ...(why === undefined ? {} : { why }),
    operator: OPERATOR,
    received_at: receivedAt,
    body: variation.alterBody?.(body) ?? body,
    expected,
  };
}

/** The header text of the plain case, its `jti` made of the vector's name; an undefined member is left out. */
export function headerTextOf(
  name: string,
  key: TestDeviceKey,
  members: Readonly<Record<string, unknown>> = {},
): string {
  return JSON.stringify({ ...snapshotHeader(key, { jti: jtiOf(name), iat: IAT }), ...members });
}

/** A `jti` of its own for each name, so that the vectors can also be sent one after the other. */
export function jtiOf(name: string): string {
  return `v-${createHash('sha256').update(name).digest('base64url').slice(0, 22)}`;
}

/** Accepted, as the plain case is unless told otherwise. */
export function accepted(more: { stream?: string; epoch?: number; as_of?: string } = {}): ExpectedOutcome {
  const asOf = new Date(IAT * 1_000).toISOString();
  return { accepted: true, stream: OWN.kid, epoch: 0, as_of: asOf, ...more };
}

export function refused(reason: string): ExpectedOutcome {
  return { accepted: false, reason };
}

/** Refused as a request, because of its signature's shape or header. */
export function badRequest(): ExpectedOutcome {
  return { status: 400, about: 'signature', reason: 'header_invalid' };
}
