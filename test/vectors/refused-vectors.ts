import { base64url, makeDeviceKey, namedDeviceKey } from '../support/signing.ts';
import { enlargeS, flipBit, replaceSignature, resign, smallOrderR, torsionInR } from './alterations.ts';
import { EDGE_R } from './edge-signatures.ts';
import { headerTextOf, IAT, makeVector, OWN, PAYLOAD, RECEIVED_AT_MS, refused } from './vector-cast.ts';
import type { SnapshotVector } from './vector-types.ts';

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;
const RECEIVED_S = RECEIVED_AT_MS / 1_000;

/** Snapshots that must be refused by verification: well formed, and not to be believed. */
export function refusedVectors(): readonly SnapshotVector[] {
  return [...tamperedVectors(), ...keyVectors(), ...timeVectors(), ...edgeVectors()];
}

function tamperedVectors(): SnapshotVector[] {
  const invalid = refused('signature_invalid');
  const changes: readonly (readonly [name: string, from: string, to: string])[] = [
    ['input', '"input":120000', '"input":119999'],
    ['output', '"output":450000', '"output":450001'],
    ['cache_read', '"cache_read":9800000', '"cache_read":98000000'],
    ['cache_write', '"cache_write":610000', '"cache_write":0'],
    ['a count by the least fraction', '"input":120000', '"input":120000.00000000001'],
    ['codename', '"codename":"sample-fox"', '"codename":"sample-owl"'],
    ['the case of the codename', '"codename":"sample-fox"', '"codename":"Sample-fox"'],
    ['platform added', '{"codename"', '{"platform":"sample-tool","codename"'],
    ['the default platform added', '{"codename"', '{"platform":"unspecified","codename"'],
  ];
  return [
    ...changes.map(([name, from, to]) =>
      makeVector(`tampered: ${name}`, invalid, { alterBody: (body) => body.replace(from, to) }),
    ),
    makeVector('tampered: platform removed', invalid, {
      payload: { ...PAYLOAD, platform: 'sample-tool' },
      alterBody: (body) => body.replace('"platform":"sample-tool",', ''),
    }),
    makeVector('tampered: header', invalid, {
      alter: (signature) => {
        const [, , signed] = signature.split('.');
        return `${base64url(headerTextOf('tampered: header', OWN, { as_of: IAT - DAY }))}..${signed}`;
      },
    }),
    makeVector('tampered: counting', invalid, {
      header: { counting: 'derived' },
      alter: (signature) => {
        const [, , signed] = signature.split('.');
        return `${base64url(headerTextOf('tampered: counting', OWN, { counting: 'exact' }))}..${signed}`;
      },
    }),
    makeVector('tampered: one bit of R', invalid, { alter: flipBit(0) }),
    makeVector('tampered: one bit of S', invalid, { alter: flipBit(32) }),
    makeVector('signature of zeros', invalid, { alter: (text) => replaceSignature(text, Buffer.alloc(64)) }),
    makeVector('signed in insertion order instead of canonical order', invalid, {
      alter: (text) => resign(text, JSON.stringify(PAYLOAD)),
    }),
  ];
}

function keyVectors(): SnapshotVector[] {
  const second = namedDeviceKey('second');
  return [
    makeVector('key that is not enrolled', refused('key_unknown'), { key: namedDeviceKey('never enrolled') }),
    makeVector('key of another operator', refused('key_foreign'), { key: namedDeviceKey('foreign') }),
    makeVector('key revoked long before', refused('key_revoked'), { key: namedDeviceKey('revoked long before') }),
    makeVector('key revoked at that moment', refused('key_revoked'), { key: namedDeviceKey('revoked at that moment') }),
    makeVector('signed by another key of the operator', refused('signature_invalid'), {
      why: 'The kid names one key, the signature is by another.',
      headerText: headerTextOf('signed by another key of the operator', second),
    }),
    makeVector('signed by a key that is not enrolled', refused('signature_invalid'), {
      key: namedDeviceKey('never enrolled'),
      headerText: headerTextOf('signed by a key that is not enrolled', OWN),
    }),
    makeVector('key whose seed is all zeros', refused('key_unknown'), { key: makeDeviceKey(Buffer.alloc(32)) }),
  ];
}

function timeVectors(): SnapshotVector[] {
  const ahead = RECEIVED_S + 5 * MINUTE;
  const old = RECEIVED_S - 90 * DAY;
  return [
    makeVector('iat 5 minutes and a second ahead', refused('issued_in_future'), { header: { iat: ahead + 1 } }),
    makeVector('iat in milliseconds', refused('issued_in_future'), { header: { iat: IAT * 1_000 } }),
    makeVector('iat 90 days and a second old', refused('issued_too_long_ago'), { header: { iat: old - 1 } }),
    makeVector('iat zero', refused('issued_too_long_ago'), { header: { iat: 0 } }),
    makeVector('iat one millisecond past 90 days', refused('issued_too_long_ago'), {
      header: { iat: old },
      receivedAt: new Date(RECEIVED_AT_MS + 1).toISOString(),
    }),
    makeVector('as_of 5 minutes and a second ahead', refused('as_of_in_future'), { header: { as_of: ahead + 1 } }),
    makeVector('as_of 90 days and a second old', refused('as_of_too_long_ago'), { header: { as_of: old - 1 } }),
    makeVector('as_of zero', refused('as_of_too_long_ago'), { header: { as_of: 0 } }),
  ];
}

function edgeVectors(): SnapshotVector[] {
  const invalid = refused('signature_invalid');
  return [
    makeVector('S + L', invalid, { why: 'S must be below L (RFC 8032, 5.1.7).', alter: enlargeS(1n) }),
    makeVector('S + 8 L', invalid, { alter: enlargeS(8n) }),
    makeVector('R is the identity, not reduced', invalid, {
      why: 'Points are compared as canonical text.',
      alter: (text) => smallOrderR(text, EDGE_R.identityNotReduced),
    }),
    makeVector('R is the identity with the sign bit of minus zero', invalid, {
      alter: (text) => smallOrderR(text, EDGE_R.identityMinusZero),
    }),
    makeVector('R has order 2', invalid, {
      why: 'The equation holds only after multiplication by the cofactor, which is not done.',
      alter: (text) => smallOrderR(text, EDGE_R.orderTwo),
    }),
    makeVector('R has order 8', invalid, { alter: (text) => smallOrderR(text, EDGE_R.orderEight) }),
    ...([2, 4, 8] as const).map((order) =>
      makeVector(`R is r B + T, T of order ${order}`, invalid, {
        why: 'The equation holds only after multiplication by the cofactor, which is not done.',
        alter: (text) => torsionInR(text, order),
      }),
    ),
  ];
}
