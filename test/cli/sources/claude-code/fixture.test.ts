import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { claudeCode } from '../../../../cli/src/sources/claude-code.ts';
import { COUNT_FIELDS, type Counts } from '../../../../engine/contract/signing/index.ts';
import { scanSource } from '../../support/scan-source.ts';

const FIXTURE = new URL('../../../fixtures/claude-code/', import.meta.url);

interface Expected {
  readonly messages: Readonly<Record<string, { readonly counts: Counts }>>;
  readonly totals: Counts;
  readonly message_count: number;
  readonly repeats: number;
  readonly files: number;
  readonly skipped: Readonly<Record<string, number>>;
}

describe('Claude Code logs, as the tool writes them', () => {
  let expected: Expected;

  before(async () => {
    expected = JSON.parse(await readFile(new URL('expected.json', FIXTURE), 'utf8'));
  });

  it('gives the four counts that were worked out by hand', async () => {
    const scan = await scanSource(claudeCode, [fileURLToPath(new URL('projects', FIXTURE))]);
    expect(scan.totals).to.deep.equal(expected.totals);
    expect(scan.messages).to.equal(expected.message_count);
    expect(scan.repeats).to.equal(expected.repeats);
    expect(scan.files).to.equal(expected.files);
    expect(scan.skipped).to.deep.equal(expected.skipped);
    expect(scan.unreadable).to.deep.equal([]);
  });

  it('expects totals that are the sum of the messages it explains', () => {
    for (const field of COUNT_FIELDS) {
      const sum = Object.values(expected.messages).reduce((total, { counts }) => total + counts[field], 0);
      expect(expected.totals[field], field).to.equal(sum);
    }
  });
});
