import { canonical } from '../support/signing.ts';
import type { CanonicalVector } from './vector-types.ts';

/** Number texts whose canonical form is not obvious. */
const NUMBERS: readonly (readonly [name: string, json: string])[] = [
  ['zero', '0'],
  ['minus zero is written 0', '-0'],
  ['minus zero as a fraction', '-0.0'],
  ['one with a fraction part', '1.0'],
  ['one with an exponent', '1e0'],
  ['a tenth', '0.1'],
  ['a sum that is not three tenths', '0.30000000000000004'],
  ['more digits than a double has', '0.1000000000000000055511151231257827'],
  ['the smallest double', '5e-324'],
  ['below the smallest double', '1e-400'],
  ['the last small number without an exponent', '0.000001'],
  ['the first small number with an exponent', '0.0000001'],
  ['the largest count', '9007199254740991'],
  ['the largest count with an exponent', '9.007199254740991e15'],
  ['above the largest count', '9007199254740993'],
  ['the last large number without an exponent', '123456789012345680000'],
  ['the first large number with an exponent', '1e21'],
  ['the largest double', '1.7976931348623157e308'],
];

const STRINGS: readonly (readonly [name: string, json: string])[] = [
  ['plain', '"sample-tool"'],
  ['an escaped letter', '"\\u0061b"'],
  ['quote, backslash, slash', '"\\"\\\\\\/"'],
  ['control characters', '"\\b\\f\\n\\r\\t\\u0000\\u001f"'],
  ['not ASCII', '"caf\\u00e9 \\u20ac"'],
  ['outside the basic plane', '"\\ud83d\\ude00"'],
];

/** Payloads and their RFC 8785 form. Some are refused as requests; their canonical form is defined all the same. */
export function canonicalVectors(): readonly CanonicalVector[] {
  const numbers = NUMBERS.map(([name, json]) =>
    vector(`number: ${name}`, `{"codename":"sample-fox","input":${json},"output":1,"cache_read":2,"cache_write":3}`),
  );
  const strings = STRINGS.map(([name, json]) =>
    vector(
      `string: ${name}`,
      `{"platform":${json},"codename":"sample-fox","input":1,"output":1,"cache_read":2,"cache_write":3}`,
    ),
  );
  const spaced = '{ "output" : 2 ,\n\t"input" : 1, "cache_write":4, "cache_read":3, "codename":"sample-fox" }';
  return [...numbers, ...strings, vector('order and white space', spaced)];
}

function vector(name: string, payloadJson: string): CanonicalVector {
  return { name, payload_json: payloadJson, canonical: canonical(JSON.parse(payloadJson)) };
}
