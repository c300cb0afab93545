import { withLargerS } from './edge-signatures.ts';

/** Ways to spoil or replace the signature of a plain vector. Each takes and gives a compact JWS. */
function signatureOf(text: string): Buffer {
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
