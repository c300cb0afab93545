import { spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
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

  it('leaves lines alone that begin with two spaces: they are copied', () => {
    const cron = '  17 * * * * /usr/bin/node /opt/main.js service run --base-url http://localhost:3000/api/v1';
    expect(wrap(`Have cron do the same:\n${cron}`, 20)).to.equal(`Have cron do the\nsame:\n${cron}`);
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

  it('are never broken, with their options and values', () => {
    const terminal = 'Object.assign(process.stdout,{isTTY:true,columns:30})';
    const screen = new URL('../../../cli/src/output/screen.ts', import.meta.url).href;
    const text =
      'Sign in: upsilon login --service work --base-url http://localhost:3000/api/v1. See upsilon sources --platform NAME too.';
    const program = `${terminal}; const { openScreen } = await import('${screen}');
      openScreen({ json: false, color: true, command: 'npx the-tool' }).printWrapped(${JSON.stringify(text)});`;
    const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    expect(stripVTControlCharacters(stdout).split('\n')).to.deep.equal([
      'Sign in:',
      'npx the-tool login --service work --base-url http://localhost:3000/api/v1.',
      'See',
      'npx the-tool sources --platform NAME',
      'too.',
      '',
    ]);
  });

  it('are not looked for in the names of keys', () => {
    const enrolled = 'Enrolled this machine\'s key as "command line ojGpDIZx".';
    expect(asRun(enrolled)).to.equal(enrolled);
  });
});

describe('the JSON object', () => {
  it('escapes everything that terminals read, and stays what it was', () => {
    const hidden = [0x00, 0x1b, 0x7f, 0x9b, 0xad, 0x61c, 0x200b, 0x200f, 0x2028, 0x202e, 0x2066, 0xfeff, 0xe0041];
    const value = {
      project: hidden.map((point) => `a${String.fromCodePoint(point)}b`).join(''),
      name: 'größe 東京 🦉',
    };
    const { stdout } = process;
    const write = stdout.write.bind(stdout);
    let text = '';
    stdout.write = (chunk: string | Uint8Array) => (text += String(chunk)) !== '';
    try {
      openScreen({ json: true, color: false }).result(value);
    } finally {
      stdout.write = write;
    }
    expect(text).to.match(/^\{"project":"[a-z0-9\\]+","name":"größe 東京 🦉"\}\n$/);
    expect(JSON.parse(text)).to.deep.equal(value);
  });
});
