import { sign } from 'node:crypto';
import { base64url, makeDeviceProof, namedDeviceKey } from '../support/signing.ts';
import { IAT, OWN, PAYLOAD, RECEIVED_AT, RECEIVED_AT_MS } from './vector-cast.ts';
import type { DeviceProofVector } from './vector-types.ts';

const MINUTE = 60;
const RECEIVED_S = RECEIVED_AT_MS / 1_000;
const HEADER = { alg: 'EdDSA', typ: 'device-proof+jws' } as const;
const CLAIMS = { codename: PAYLOAD.codename, iat: IAT } as const;

/** Proofs that a device holds the key `own`, for the operator of the plain payload. */
export function deviceProofVectors(): readonly DeviceProofVector[] {
  const refused = [...compactProofs(), ...headerProofs(), ...claimProofs()];
  return [...acceptedProofs().map((each) => toVector(each, true)), ...refused.map((each) => toVector(each, false))];
}

type NamedProof = readonly [name: string, proof: string];

function toVector([name, proof]: NamedProof, accepted: boolean): DeviceProofVector {
  return { name, codename: PAYLOAD.codename, x: OWN.x, received_at: RECEIVED_AT, proof, accepted };
}

function acceptedProofs(): NamedProof[] {
  return [
    ['plain', makeDeviceProof(OWN, CLAIMS)],
    ['the codename in capitals', makeDeviceProof(OWN, { ...CLAIMS, codename: 'Sample-FOX' })],
    ['its own kid', makeDeviceProof(OWN, CLAIMS, { kid: OWN.kid })],
    ['a header member nobody knows', makeDeviceProof(OWN, CLAIMS, { sample_member: 1 })],
    ['iat exactly 5 minutes ahead', makeDeviceProof(OWN, { ...CLAIMS, iat: RECEIVED_S + 5 * MINUTE })],
    ['iat exactly 5 minutes ago', makeDeviceProof(OWN, { ...CLAIMS, iat: RECEIVED_S - 5 * MINUTE })],
    ['more claims', signText(HEADER, JSON.stringify({ ...CLAIMS, note: 'extra' }))],
  ];
}

function compactProofs(): NamedProof[] {
  const good = makeDeviceProof(OWN, CLAIMS);
  const [header = '', payload = '', signature = ''] = good.split('.');
  return [
    ['no JWS', 'sample'],
    ['empty text', ''],
    ['detached payload', `${header}..${signature}`],
    ['two parts', `${header}.${payload}`],
    ['another payload', `${header}.${base64url(JSON.stringify({ ...CLAIMS, iat: IAT + 1 }))}.${signature}`],
    ['truncated signature', good.slice(0, -2)],
    ['signed by another key', makeDeviceProof(namedDeviceKey('second'), CLAIMS)],
  ];
}

function headerProofs(): NamedProof[] {
  const none = base64url(JSON.stringify({ ...HEADER, alg: 'none' }));
  return [
    ['alg none', `${none}.${base64url(JSON.stringify(CLAIMS))}.`],
    ['alg Ed25519', makeDeviceProof(OWN, CLAIMS, { alg: 'Ed25519' })],
    ['alg HS256', makeDeviceProof(OWN, CLAIMS, { alg: 'HS256' })],
    ['crit of an unknown member', makeDeviceProof(OWN, CLAIMS, { crit: ['exp'], exp: 1 })],
    ['crit of b64', makeDeviceProof(OWN, CLAIMS, { crit: ['b64'], b64: true })],
    ['b64 without crit', makeDeviceProof(OWN, CLAIMS, { b64: true })],
    ['a key in the header', makeDeviceProof(OWN, CLAIMS, { jwk: OWN.jwk })],
    ['typ of a snapshot', makeDeviceProof(OWN, CLAIMS, { typ: 'snapshot+jws' })],
    ['no typ', makeDeviceProof(OWN, CLAIMS, { typ: undefined })],
    ['kid of another key', makeDeviceProof(OWN, CLAIMS, { kid: namedDeviceKey('second').kid })],
  ];
}

function claimProofs(): NamedProof[] {
  return [
    ['another codename', makeDeviceProof(OWN, { ...CLAIMS, codename: 'sample-owl' })],
    ['iat 5 minutes and a second ahead', makeDeviceProof(OWN, { ...CLAIMS, iat: RECEIVED_S + 5 * MINUTE + 1 })],
    ['iat 5 minutes and a second ago', makeDeviceProof(OWN, { ...CLAIMS, iat: RECEIVED_S - 5 * MINUTE - 1 })],
    ['iat in milliseconds', makeDeviceProof(OWN, { ...CLAIMS, iat: RECEIVED_AT_MS })],
    ['iat with a fraction', makeDeviceProof(OWN, { ...CLAIMS, iat: IAT + 0.5 })],
    ['iat as text', signText(HEADER, JSON.stringify({ ...CLAIMS, iat: `${IAT}` }))],
    ['no iat', signText(HEADER, JSON.stringify({ codename: CLAIMS.codename }))],
    ['no codename', signText(HEADER, JSON.stringify({ iat: IAT }))],
    ['claims that are not JSON', signText(HEADER, '{')],
    ['claims that are null', signText(HEADER, 'null')],
    ['claims that are a list', signText(HEADER, JSON.stringify([CLAIMS]))],
  ];
}

function signText(header: object, payloadText: string): string {
  const signed = `${base64url(JSON.stringify(header))}.${base64url(payloadText)}`;
  return `${signed}.${sign(null, Buffer.from(signed), OWN.privateKey).toString('base64url')}`;
}
