import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { PLATFORMS, SOURCES, sourcesOf, UNRANKABLE } from '../../../../cli/src/sources/registry.ts';
import { COUNT_FIELDS, type Counts } from '../../../../engine/contract/signing/index.ts';
import { scanSource } from '../../support/scan-source.ts';

const FIXTURES = fileURLToPath(new URL('../../../fixtures/', import.meta.url));

/** What a fixture holds, worked out by hand. */
interface Expected {
  readonly format_shown_by: readonly string[];
  readonly records: Readonly<Record<string, { readonly counts: Counts; readonly why: string }>>;
  readonly totals: Counts;
  readonly messages: number;
  readonly files: number;
  readonly skipped?: Readonly<Record<string, number>>;
}

/** In display order. Names are never changed or reused: extend this list when a source is added. */
const SIGNED_NAMES = [
  'claude-code',
  'codex',
  'gemini-cli',
  'opencode',
  'copilot-cli',
  'qwen-code',
  'amp',
  'droid',
  'kimi',
  'pi',
  'cline',
  'roo-code',
  'kilo-code',
  'kilo-cli',
  'openclaw',
  'hermes',
  'grok-cli',
  'goose',
  'devin',
  'zed',
  'other',
];

/** The platforms that have logs of their own; `other` has none. */
const TOOLS = PLATFORMS.filter((platform) => platform !== 'other' && platform !== 'claude-code');

function expectedOf(tool: string): Expected {
  return JSON.parse(readFileSync(`${FIXTURES}${tool}/expected.json`, 'utf8'));
}

describe('logs as the tools write them', () => {
  it('has a fixture for every platform', () => {
    expect(TOOLS.filter((tool) => !existsSync(`${FIXTURES}${tool}/expected.json`))).to.deep.equal([]);
    expect(readdirSync(FIXTURES)).to.include.members(TOOLS);
  });

  it('has a source for every platform but "other", each once, under the names that were ever signed', () => {
    expect(PLATFORMS).to.deep.equal(SIGNED_NAMES);
    expect(SOURCES.map(({ platform }) => platform)).to.deep.equal(PLATFORMS.filter((name) => name !== 'other'));
  });

  it('says of each tool that is not counted when that was checked, and by what, also in the README', () => {
    const readme = readFileSync(new URL('../../../../cli/README.md', import.meta.url), 'utf8');
    for (const { title, reason, checked, source } of UNRANKABLE) {
      expect(checked, title).to.match(/^20\d\d-\d\d$/);
      expect(readme).to.include(`| ${title} | ${reason} | ${checked} |`).and.include(`(${source}) |`);
    }
    expect(SOURCES.map(({ title }) => title)).not.to.include.members(UNRANKABLE.map(({ title }) => title));
  });

  for (const tool of TOOLS) {
    it(`gives the four counts that were worked out by hand: ${tool}`, async () => {
      const expected = expectedOf(tool);
      for (const field of COUNT_FIELDS) {
        const sum = Object.values(expected.records).reduce((total, { counts }) => total + counts[field], 0);
        expect(sum, `sum of ${field}`).to.equal(expected.totals[field]);
      }
      const [source] = sourcesOf([tool]);
      const scan = await scanSource(source!, [`${FIXTURES}${tool}`]);
      expect(scan.totals).to.deep.equal(expected.totals);
      expect(scan.messages).to.equal(expected.messages);
      // Compressed logs are read or named, by the version of Node.
      expect(scan.files + scan.unreadable.length).to.equal(expected.files);
      const skipped = Object.fromEntries(Object.entries(scan.skipped).filter(([, lines]) => lines > 0));
      expect(skipped).to.deep.equal(expected.skipped ?? {});
      expect(expected.format_shown_by).not.to.be.empty;
    });
  }
});
