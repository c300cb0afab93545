import { createHmac } from 'node:crypto';
import { base64url, canonical, signDetached } from '../support/signing.ts';
import { signWithSmallOrderR, signWithTorsionInR, withLargerS } from './edge-signatures.ts';
import { OWN, PAYLOAD } from './vector-cast.ts';

/** Ways to spoil or replace the signature of a plain vector. Each takes and gives a compact JWS. */
export function signatureOf(text: string): Buffer {
  return Buffer.from(text.split('.')[2] ?? '', 'base64url');
}

export function replaceSignature(text: string, signature: Buffer = Buffer.alloc(0)): string {
  return `${text.split('.')[0]}..${signature.toString('base64url')}`;
}

export function flipBit(index: number): (text: string) => string {
  return (text) => {
    const signature = signatureOf(text);
    signature.writeUInt8(signature.readUInt8(index) ^ 1, index);
    return replaceSignature(text, signature);
  };
}

export function enlargeS(multiples: bigint): (text: string) => string {
  return (text) => replaceSignature(text, withLargerS(signatureOf(text), multiples));
}

/** 64 bytes leave four unused bits in the last of 86 characters: the same bytes, spelled otherwise. */
export function strayBits(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return `${text.slice(0, -1)}${alphabet[alphabet.indexOf(text.slice(-1)) + 1]}`;
}

export function jsonSerialization(text: string): string {
  const [header, , signature] = text.split('.');
  return JSON.stringify({ protected: header, payload: base64url(canonical(PAYLOAD)), signature });
}

export function hmac(hash: string, text: string): string {
  const message = `${text.split('.')[0]}.${base64url(canonical(PAYLOAD))}`;
  return replaceSignature(text, createHmac(hash, Buffer.from(OWN.x, 'base64url')).update(message).digest());
}

/** A good signature of another payload text, by the same key and under the same header. */
export function resign(text: string, payloadText: string): string {
  const [header = ''] = text.split('.');
  return signDetached(OWN, Buffer.from(header, 'base64url').toString('utf8'), payloadText);
}

/** The same header and payload signed with a small-order commitment. */
export function smallOrderR(text: string, encodedR: string): string {
  const message = Buffer.from(`${text.split('.')[0]}.${base64url(canonical(PAYLOAD))}`);
  return replaceSignature(text, signWithSmallOrderR(OWN, encodedR, message));
}

/** The same header and payload signed with a commitment that has a part of the given order. */
export function torsionInR(text: string, order: 2 | 4 | 8): string {
  const message = Buffer.from(`${text.split('.')[0]}.${base64url(canonical(PAYLOAD))}`);
  return replaceSignature(text, signWithTorsionInR(OWN, order, message));
}
