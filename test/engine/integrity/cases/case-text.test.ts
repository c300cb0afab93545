import { expect } from 'chai';
import { readCaseText } from '../../../../engine/integrity/cases/index.ts';

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
    ['see https://example.org', 'An answer has no links; "https://example.org" looks like one.'],
    ['JavaScript://x', '"JavaScript://x"'],
    ['www.example', '"www.example"'],
    ['buy at example.com/x', '"example.com/x"'],
    ['ｅｘａｍｐｌｅ．ｃｏｍ', '"example.com"'],
    ['example。io', '"example。io"'],
    ['example.museum/x', '"example.museum/x"'],
    ['example.museum:8080/', '"example.museum:8080/"'],
    ['I worked in (claude.ai), all day.', '"claude.ai"'],
    ['It is an ASP.NET service.', '"ASP.NET"'],
    ['From /home/me/history.jsonl/2026 on.', '"/home/me/history.jsonl/2026"'],
    ['Until 12.me was back.', '"12.me"'],
  ] as const) {
    it(`are refused: ${JSON.stringify(text.slice(0, 30))}`, () => {
      const read = readCaseText(text, 'An answer');
      expect('fault' in read ? read.fault : '').to.include(fault);
    });
  }
});
