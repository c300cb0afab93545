import { expect } from 'chai';
import * as fc from 'fast-check';
import { Problem } from '../../../../api/http/problem.ts';
import { parseStrictJson } from '../../../../api/http/strict-json.ts';

const DEPTH = 8;

/** The value, or the code of the refusal. */
function read(text: string): { value: unknown } | { code: string } {
  try {
    return { value: parseStrictJson(Buffer.from(text, 'utf8'), DEPTH) };
  } catch (error) {
    if (error instanceof Problem) return { code: error.code };
    throw error;
  }
}

/** What the standard parser makes of a text. */
function parsed(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** Counts containers by walking the value, as the scanner counts them by reading the text. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(keysOf)];
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

const key = fc.oneof(
  fc.string(),
  fc.constantFrom('a', 'b', '"', '\\', '{', '}', ',', ':', 'constructor', '__proto__', 'é', '😀'),
);
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs)),
  ),
}));

/** A JSON string of nothing but escapes. */
function escaped(name: string): string {
  return `"${Array.from({ length: name.length }, (_, at) => String.raw`\u${name.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;
}

describe('api: strict JSON', () => {
  it('reads what JSON.parse reads, to the same value, unless it is refused for a reason', () => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const again: unknown = JSON.parse(text);
        const result = read(text);
        if (depthOf(again) > DEPTH) expect(result).to.have.property('code');
        if ('value' in result) {
          expect(result.value).to.deep.equal(again);
          expect(depthOf(again)).to.be.at.most(DEPTH);
          expect(keysOf(again).some((name) => FORBIDDEN.has(name))).to.equal(false);
        } else if (result.code === 'json_too_deep') expect(depthOf(again)).to.be.greaterThan(DEPTH);
        else if (result.code === 'json_forbidden_key')
          expect(keysOf(again).some((name) => FORBIDDEN.has(name))).to.equal(true);
        else if (result.code === 'json_lone_surrogate') {
          expect([...keysOf(again), ...textsOf(again)].some((word) => /\p{Cs}/u.test(word))).to.equal(true);
        } else expect.fail(`${text} is refused as ${result.code}`);
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads nesting to the limit, and not one level deeper', () => {
    const steps = fc.tuple(
      fc.array(fc.boolean(), { minLength: DEPTH - 2, maxLength: DEPTH + 2 }),
      fc.constantFrom('', ' ', '\n\t'),
      fc.constantFrom('1', '"{[["', 'null'),
    );
    fc.assert(
      fc.property(steps, ([lists, space, leaf]) => {
        const text = lists.reduceRight<string>((inner, isList) => {
          const padded = `${space}${inner}${space}`;
          return isList ? `[0,${padded}]` : `{"a":0,"b":${padded}}`;
        }, leaf);
        const expected = lists.length > DEPTH ? { code: 'json_too_deep' } : { value: JSON.parse(text) };
        expect(read(text)).to.deep.equal(expected);
      }),
    );
  });

  it('never reads what JSON.parse does not', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      '"a"',
      '"b"',
      '1',
      '-',
      'null',
      ' ',
      String.raw`\u0061`,
      'e9',
      '.',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 16 }), (parts) => {
        const text = parts.join('');
        const expected = parsed(text);
        const result = read(text);
        if (expected === null) expect(result).to.deep.equal({ code: text === '' ? 'body_missing' : 'json_malformed' });
        else if ('value' in result) expect(result.value).to.deep.equal(expected.value);
        else expect(['json_duplicate_key', 'json_too_deep']).to.include(result.code);
      }),
      { numRuns: 5_000 },
    );
  });

  it('finds a key that is given twice, however it is written and wherever it is', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }).filter((name) => !FORBIDDEN.has(name)),
        fc.nat({ max: 5 }),
        fc.boolean(),
        (name, depth, escape) => {
          const twice = `{"x1y":[],${JSON.stringify(name)}:{},${escape ? escaped(name) : JSON.stringify(name)}:1}`;
          const text = `${'['.repeat(depth)}${twice}${']'.repeat(depth)}`;
          expect(read(text)).to.deep.equal({ code: 'json_duplicate_key' });
        },
      ),
    );
  });

  it('lets objects beside each other have the same keys', () => {
    expect(read('[{"a":{"a":1},"b":["a","a"]},{"a":1}]')).to.have.property('value');
  });
});
