import { namedDeviceKey, snapshotHeader } from '../support/signing.ts';
import { smallOrderR } from './alterations.ts';
import { EDGE_R } from './edge-signatures.ts';
import { accepted, headerTextOf, IAT, jtiOf, makeVector, OWN, PAYLOAD, RECEIVED_AT_MS } from './vector-cast.ts';
import type { SnapshotVector } from './vector-types.ts';

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;
const RECEIVED_S = RECEIVED_AT_MS / 1_000;

function iso(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

/** Snapshots that must be accepted. */
export function acceptedVectors(): readonly SnapshotVector[] {
  return [...plainVectors(), ...countVectors(), ...headerVectors(), ...timeVectors(), ...edgeVectors()];
}

function plainVectors(): SnapshotVector[] {
  return [
    makeVector('plain', accepted()),
    makeVector('with a platform', accepted(), { payload: { ...PAYLOAD, platform: 'sample-tool' } }),
    makeVector('the platform named unspecified', accepted(), { payload: { ...PAYLOAD, platform: 'unspecified' } }),
    makeVector('a codename in capitals', accepted(), {
      why: 'Codenames are compared without case; the signature covers the codename as sent.',
      payload: { ...PAYLOAD, codename: 'Sample-FOX' },
    }),
    makeVector('members in another order', accepted(), {
      alterBody: (body) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(body)).reverse()), null, 2),
    }),
    makeVector('members that are not signed', accepted(), {
      why: 'Extra properties are tolerated and mean nothing.',
      alterBody: (body) => body.replace('{', '{"note":"extra","tokens":{"total":1},'),
    }),
    makeVector('second key of the operator', accepted({ stream: namedDeviceKey('second').kid }), {
      key: namedDeviceKey('second'),
    }),
    makeVector('key revoked one millisecond later', accepted({ stream: namedDeviceKey('revoked just after').kid }), {
      key: namedDeviceKey('revoked just after'),
    }),
  ];
}

function countVectors(): SnapshotVector[] {
  const zeros = { ...PAYLOAD, input: 0, output: 0, cache_read: 0, cache_write: 0 };
  const inputs: readonly (readonly [name: string, input: number])[] = [
    ['a tenth', 0.1],
    ['the smallest double', Number.MIN_VALUE],
    ['a small number with an exponent', 1e-7],
    ['a fraction', 1234.5678],
    ['the largest count', Number.MAX_SAFE_INTEGER],
  ];
  return [
    makeVector('all counts zero', accepted(), { payload: zeros }),
    makeVector('minus zero', accepted(), {
      why: 'RFC 8785 writes minus zero as 0, so the body may say -0 for a signed 0.',
      payload: zeros,
      alterBody: (body) => body.replace('"input":0', '"input":-0'),
    }),
    makeVector('a count in another spelling', accepted(), {
      why: 'The canonical form depends on the number and not on its spelling.',
      alterBody: (body) => body.replace('"input":120000', '"input":1.2e5'),
    }),
    ...inputs.map(([name, input]) => makeVector(`input: ${name}`, accepted(), { payload: { ...PAYLOAD, input } })),
  ];
}

function headerVectors(): SnapshotVector[] {
  const duplicate = headerTextOf('alg twice, the last one right', OWN).replace('{', '{"alg":"none",');
  const spaced = JSON.stringify(snapshotHeader(OWN, { jti: jtiOf('spaced header'), iat: IAT }), null, 2);
  return [
    makeVector('a stream of its own', accepted({ stream: 'sample-ledger-1' }), {
      header: { stream: 'sample-ledger-1' },
    }),
    makeVector('stream of 8 characters', accepted({ stream: 'abcdefgh' }), { header: { stream: 'abcdefgh' } }),
    makeVector('stream of 64 characters', accepted({ stream: 's'.repeat(64) }), { header: { stream: 's'.repeat(64) } }),
    makeVector('epoch 0', accepted(), { header: { epoch: 0 } }),
    makeVector('epoch 1000', accepted({ epoch: 1_000 }), { header: { epoch: 1_000 } }),
    makeVector('a tool version', accepted(), { header: { cli: '1.2.3-beta.4+build' } }),
    makeVector('a tool version of 32 characters', accepted(), { header: { cli: 'v'.repeat(32) } }),
    makeVector('exact counts', accepted(), { header: { counting: 'exact', cli: '1.2.3' } }),
    makeVector('derived counts', accepted(), { header: { counting: 'derived' } }),
    makeVector('days on which logs and metrics agree', accepted(), {
      why: 'The member agreement states nothing that counts: it is ignored, as are members that nobody knows.',
      header: { counting: 'exact', agreement: { until: '2026-02-27', days: '110-1', further: true } },
    }),
    makeVector('an agreement that is none', accepted(), {
      why: 'An ignored member is not validated.',
      header: { agreement: null },
    }),
    makeVector('jti of 8 characters', accepted(), { header: { jti: 'jti_-0Az' } }),
    makeVector('jti of 64 characters', accepted(), { header: { jti: 'j'.repeat(64) } }),
    makeVector('a header member nobody knows', accepted(), { header: { sample_member: [1, { two: 3 }] } }),
    makeVector('a header member called __proto__', accepted(), {
      headerText: headerTextOf('a header member called __proto__', OWN).replace('{', '{"__proto__":{"crit":["b64"]},'),
    }),
    makeVector('iat written as a fraction', accepted(), {
      headerText: headerTextOf('iat written as a fraction', OWN).replace(`${IAT}`, `${IAT}.0`),
    }),
    makeVector('header with white space', accepted(), {
      why: 'The header is signed as text, so its own spelling is free.',
      headerText: spaced,
    }),
    makeVector('alg twice, the last one right', accepted(), {
      why: 'Of a member written twice the last counts (RFC 7515, section 4).',
      headerText: duplicate,
    }),
  ];
}

function timeVectors(): SnapshotVector[] {
  const ahead = RECEIVED_S + 5 * MINUTE;
  const old = RECEIVED_S - 90 * DAY;
  return [
    makeVector('iat exactly 5 minutes ahead', accepted({ as_of: iso(ahead) }), { header: { iat: ahead } }),
    makeVector('iat exactly 90 days old', accepted({ as_of: iso(old) }), { header: { iat: old } }),
    makeVector('as_of exactly 5 minutes ahead', accepted({ as_of: iso(ahead) }), { header: { as_of: ahead } }),
    makeVector('as_of exactly 90 days old', accepted({ as_of: iso(old) }), { header: { as_of: old } }),
    makeVector('as_of a month before', accepted({ as_of: iso(IAT - 30 * DAY) }), { header: { as_of: IAT - 30 * DAY } }),
    makeVector('as_of after iat', accepted({ as_of: iso(IAT + 10) }), { header: { as_of: IAT + 10 } }),
    makeVector('received within a second after the limit', accepted({ as_of: iso(old + 1) }), {
      header: { iat: old + 1 },
      receivedAt: new Date(RECEIVED_AT_MS + 999).toISOString(),
    }),
  ];
}

function edgeVectors(): SnapshotVector[] {
  return [
    makeVector('R is the identity', accepted(), {
      why: 'Only the owner of the key can make it, so it proves the same; some libraries refuse it.',
      alter: (signature) => smallOrderR(signature, EDGE_R.identity),
    }),
  ];
}
