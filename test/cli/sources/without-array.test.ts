import { expect } from 'chai';
import * as fc from 'fast-check';
import { withoutArray } from '../../../cli/src/sources/without-array.ts';

const MARK = ',"content":';

/** Texts with what ends strings and arrays, and what looks like a mark. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('"', '\\', ']', '}', '[', MARK, '\n', 'é', '\u{1f600}', 'x'), { maxLength: 12 })
    .map((parts) => parts.join('')),
);
const element = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(true, false, null),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(text, tie('any'), { maxKeys: 4 }),
  ),
})).any;

const read = (json: string): unknown => JSON.parse(withoutArray(Buffer.from(json), MARK));

describe('a JSON text without an array', () => {
  it('is the same object with the array empty', () => {
    fc.assert(
      fc.property(text, fc.array(element), element, text, (before, content, rest, after) => {
        const json = JSON.stringify({ before, message: { id: before, content, rest, usage: { after } }, after });
        const empty = { before, message: { id: before, content: [], rest, usage: { after } }, after };
        expect(read(json)).to.deep.equal(JSON.parse(JSON.stringify(empty)));
      }),
    );
  });

  it('is the whole text without such an array', () => {
    fc.assert(
      fc.property(element, (content) => {
        const json = JSON.stringify({ content, other: content });
        expect(read(json)).to.deep.equal(JSON.parse(json));
      }),
    );
    for (const json of ['{"a":1,"content":"text,"}', '{"a":1,"content":{"b":[1]}}', '{"a":1,"content": [1]}']) {
      expect(withoutArray(Buffer.from(json), MARK)).to.equal(json);
    }
  });

  it('is the whole text where the array is broken', () => {
    for (const broken of ['[', '["', '["\\"]', '[{"a":1]', '[1,nope]', '[{"b":1}', '["a"b"]', '["a\0b"]']) {
      const json = `{"a":1,"content":${broken}}`;
      expect(withoutArray(Buffer.from(json), MARK), json).to.equal(json);
      expect(() => JSON.parse(json)).to.throw();
    }
  });
});
