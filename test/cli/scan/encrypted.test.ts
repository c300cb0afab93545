import { createCipheriv } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { sourcesOf } from '../../../cli/src/sources/registry.ts';
import { assistantLine } from '../support/log-lines.ts';
import { scanSource } from '../support/scan-source.ts';
import { useFolder } from '../support/temporary-folder.ts';

const LINE = `${assistantLine({ id: 'a', request: 'r' })}\n`;

function encrypted(text: string): Buffer {
  const cipher = createCipheriv('aes-256-ctr', Buffer.alloc(32, 7), Buffer.alloc(16, 3));
  return Buffer.concat([cipher.update(text), cipher.final()]);
}

describe('a log that does not begin as one', () => {
  const folder = useFolder();

  const scan = async (platform: string, path: string, content: string | Buffer) => {
    const file = join(folder(), path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    const { messages, unreadable, skipped } = await scanSource(sourcesOf([platform])[0]!, [folder()]);
    return { messages, reasons: unreadable.map(({ reason }) => reason), skipped };
  };

  for (const [platform, path, content] of [
    ['claude-code', 'p/one.jsonl', encrypted(LINE)],
    ['claude-code', 'p/one.jsonl', `-----BEGIN PGP MESSAGE-----\n\n${LINE}`],
    ['claude-code', 'p/one.jsonl', `age-encryption.org/v1\n${LINE}`],
    ['opencode', 'data/opencode.db', encrypted('SQLite format 3\0'.padEnd(4096, '\0'))],
    ['cline', 'sessions/1/1.messages.json', encrypted('{"version":1,"messages":[]}'.padEnd(200))],
  ] as const) {
    it(`is named as encrypted: ${path}, ${typeof content === 'string' ? content.slice(0, 21) : 'AES'}`, async () => {
      expect(await scan(platform, path, content))
        .to.include({ messages: 0 })
        .and.deep.include({ reasons: ['ENCRYPTED'] });
    });
  }

  for (const [title, content, broken = 1] of [
    ['text', `not JSON\n${LINE}`],
    ['zeros that a crash left', `${'\0'.repeat(100)}\n${LINE}`, 0],
    ['letters of other languages', `${'é'.repeat(63)}x€\n${LINE}`],
    ['a damaged line', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0x01]), Buffer.from(`\n${LINE}`)])],
  ] as const) {
    it(`is read after ${title}`, async () => {
      const { messages, reasons, skipped } = await scan('claude-code', 'p/one.jsonl', content);
      expect({ messages, reasons, broken: skipped['not_json'] }).to.deep.equal({ messages: 1, reasons: [], broken });
    });
  }
});
