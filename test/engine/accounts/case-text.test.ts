import { expect } from 'chai';
import { readCaseText } from '../../../engine/accounts/index.ts';

describe('texts of integrity cases', () => {
  it('are plain text with single spaces', () => {
    expect(
      readCaseText('  Two\r\n\r\nlines\tof e\u0301 <b>text</b>; $where: 1.5 in history.jsonl.Then. ', 'An answer'),
    ).to.deep.equal({
      text: 'Two lines of é <b>text</b>; $where: 1.5 in history.jsonl.Then.',
    });
    expect(readCaseText('x'.repeat(500), 'An answer')).to.have.property('text');
    expect(readCaseText('Half of ~/.codex/sessions and/or 1.5/h in a.jsonl.', 'An answer')).to.have.property('text');
  });

  for (const [text, fault] of [
    ['x'.repeat(501), 'An answer has at most 500 characters; this one has 501.'],
    [' \n ', 'at least one visible character'],
    ['a\u202eb', 'U+202E'],
    ['a\u2066b', 'U+2066'],
    ['a\u0000b', 'U+0000'],
    ['a\u001bb', 'U+001B'],
    ['a\u200bb', 'U+200B'],
    ['a\ud800', 'U+D800'],
    [`z${'\u0300'.repeat(9)}`, 'combining marks'],
    ['see https://example.org', 'no links'],
    ['JavaScript://x', 'no links'],
    ['www.example', 'no links'],
    ['buy at example.com/x', 'no links'],
    ['ｅｘａｍｐｌｅ．ｃｏｍ', 'no links'],
    ['example。io', 'no links'],
    ['example.museum/x', 'no links'],
    ['example.museum:8080/', 'no links'],
  ] as const) {
    it(`are refused: ${JSON.stringify(text.slice(0, 30))}`, () => {
      const read = readCaseText(text, 'An answer');
      expect('fault' in read ? read.fault : '').to.include(fault);
    });
  }
});
