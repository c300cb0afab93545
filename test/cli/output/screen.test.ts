import { expect } from 'chai';
import * as fc from 'fast-check';
import { openScreen, wrap } from '../../../cli/src/output/screen.ts';

describe('wrapping', () => {
  it('keeps every word and every line break, and no line too wide that could be narrower', () => {
    const text = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), fc.integer({ min: 12, max: 60 }), (paragraphs, columns) => {
        const lines = wrap(paragraphs.join('\n'), columns).split('\n');
        expect(lines.join(' ')).to.equal(paragraphs.join(' '));
        expect(Math.max(...lines.map((line) => line.length))).to.be.at.most(columns);
      }),
    );
  });

  it('leaves text alone where there is no terminal', () => {
    expect(wrap('a b c', null)).to.equal('a b c');
  });
});

describe('names of commands in texts', () => {
  const { asRun } = openScreen({ json: false, color: false, command: 'npx the-tool' });

  it('are as the user runs the tool', () => {
    expect(asRun('Run: upsilon login, or upsilon --dry-run, or upsilon')).to.equal(
      'Run: npx the-tool login, or npx the-tool --dry-run, or npx the-tool',
    );
  });

  it('are not looked for in the names of keys', () => {
    const enrolled = 'Enrolled this machine\'s key as "command line ojGpDIZx".';
    expect(asRun(enrolled)).to.equal(enrolled);
  });
});
