import { appendFile, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { scanUsage } from '../../../cli/src/commands/scan-usage.ts';
import { openScreen } from '../../../cli/src/output/screen.ts';
import { readSettings } from '../../../cli/src/settings.ts';
import { openStore } from '../../../cli/src/store/open-store.ts';
import { usagePath } from '../../../cli/src/store/usage-file.ts';
import { readSummary } from '../../../cli/src/store/usage-head.ts';
import type { UsageStore } from '../../../cli/src/store/usage-store.ts';
import { addUpUsage, summarize } from '../../../cli/src/store/usage-summary.ts';
import { writeBucketless, writeHeadless } from '../support/former-stores.ts';
import { assistantLine, writeLog } from '../support/log-lines.ts';
import { runCli } from '../support/run-cli.ts';
import { LINUX } from '../support/scan-source.ts';
import { useFolder } from '../support/temporary-folder.ts';

const LONG_AGO = new Date('2026-05-01T10:00:00Z');

/** What `sources --json` tells of Claude Code, as far as it is looked at here. */
interface Printed {
  readonly messages: number;
  readonly kept: number;
  readonly changed: number;
  readonly totals: { readonly input: number };
}

describe('a scan in which nothing has changed', () => {
  const home = useFolder();
  const settings = (): string => join(home(), 'settings');
  const store = (): string => usagePath(settings());

  /** Writes a log with an old modification time. */
  const writeOldLog = async (name: string, ...ids: readonly string[]): Promise<string> => {
    const lines = ids.map((id) => assistantLine({ id, request: 'r' }));
    const path = await writeLog(join(home(), '.claude', 'projects', 'p'), name, lines);
    await utimes(path, LONG_AGO, LONG_AGO);
    return path;
  };
  const runJson = async (...args: readonly string[]) => {
    const run = await runCli(home(), [...args, '--json', '--config-dir', settings()]);
    expect(run.stderr).to.equal('');
    const printed: {
      readonly warnings: readonly string[];
      readonly sources?: ReadonlyArray<Printed & { readonly platform: string }>;
    } = JSON.parse(run.stdout);
    return { ...run, ...printed };
  };
  const scan = async (...args: readonly string[]) => {
    const { warnings, sources } = await runJson('sources', ...args);
    const { messages, kept, changed, totals } = sources!.find(({ platform }) => platform === 'claude-code')!;
    return { warnings, messages, kept, changed, input: totals.input };
  };
  /** Changes one byte of the store, counted from its start or, when below 0, from its end. */
  const breakAt = async (place: number): Promise<Buffer> => {
    const bytes = await readFile(store());
    bytes[place < 0 ? bytes.length + place : place]! ^= 0x40;
    await writeFile(store(), bytes);
    return bytes;
  };
  /** Two logs scanned, one of which is gone since. */
  const scanAndDelete = async (): Promise<string> => {
    const path = await writeOldLog('one.jsonl', 'a', 'b');
    const gone = await writeOldLog('two.jsonl', 'c');
    expect(await scan()).to.deep.equal({ warnings: [], messages: 3, kept: 0, changed: 2, input: 30 });
    await rm(gone);
    return path;
  };
  const AS_BEFORE = { warnings: [], messages: 3, kept: 1, changed: 0, input: 30 };
  const ANEW = { messages: 2, kept: 0, changed: 1, input: 20 };

  it('reads only the head of the store, whether or not the rest is damaged', async () => {
    await scanAndDelete();
    expect(await scan()).to.deep.equal(AS_BEFORE);
    const broken = await breakAt(-1);
    expect(await scan()).to.deep.equal(AS_BEFORE);
    expect(await readFile(store())).to.deep.equal(broken);
  });

  it('detects a damaged body when a log has changed, and recounts', async () => {
    const path = await scanAndDelete();
    const broken = await breakAt(-20);
    await appendFile(path, `${assistantLine({ id: 'd', request: 'r' })}\n`);
    await utimes(path, LONG_AGO, LONG_AGO);
    const scanned = await scan();
    expectDamage(scanned, store());
    expect(scanned).to.include({ messages: 3, kept: 0, changed: 1, input: 30 });
    expect(await readFile(`${store()}.damaged`)).to.deep.equal(broken);
    expect(await scan()).to.deep.equal({ warnings: [], messages: 3, kept: 0, changed: 0, input: 30 });
  });

  it('detects a damaged body when single usages are needed, and recounts', async () => {
    await scanAndDelete();
    await breakAt(-20);
    const scanned = await scan('--since', '2026-01-01');
    expectDamage(scanned, store());
    expect(scanned).to.include(ANEW);
  });

  it('reports a damaged body that is detected after the totals, for past days', async () => {
    await scanAndDelete();
    const broken = await breakAt(-20);
    expectDamage(await runJson('--dry-run'), store());
    const text = await runCli(home(), ['--dry-run', '--config-dir', settings()]);
    expect(text.stderr).to.include(`${store()} was damaged`);
    expect(await readFile(store())).to.deep.equal(broken);
  });

  it('treats a damaged or truncated head as a damaged file', async () => {
    await scanAndDelete();
    const whole = await readFile(store());
    const header = whole.readUInt32LE(16);
    const places = { mark: 3, 'length of the header': 17, 'number of files': 20, 'length of the file': 30 };
    const sums = 40 + Math.ceil(header / 8) * 8;
    const inHead = { ...places, 'length of the head': 33, header: 50, sums, buckets: sums + 96, body: whole.length };
    for (const [name, place] of Object.entries(inHead)) {
      await writeFile(store(), whole.subarray(0, name === 'body' ? -8 : whole.length));
      if (name !== 'body') await breakAt(place);
      expect(readSummary(store()), name).to.equal(null);
      const scanned = await scan();
      expectDamage(scanned, store());
      expect(scanned, name).to.include(ANEW);
    }
  });

  for (const [version, write] of [writeHeadless, writeBucketless].entries()) {
    it(`reads a store of version ${version + 1}, and its logs again for what it lacks`, async () => {
      await scanAndDelete();
      await write(store(), (await openStore(settings(), 0)).store);
      expect(readSummary(store())).to.equal(null);
      expect(await scan()).to.deep.equal({ ...AS_BEFORE, changed: 1 });
      expect(readSummary(store())!.files).to.have.length(2);
      const { columns, origins } = readSummary(store())!.buckets;
      // The deleted log names nothing any more.
      const sessions = Array.from(columns.origins, (origin) => origins[origin]!.session);
      expect(sessions).to.have.members(['44444444-4444-4444-8444-444444444444', null]);
      expect(await scan()).to.deep.equal(AS_BEFORE);
    });
  }

  it('includes what another run wrote between reading the head and the rest', async () => {
    await scanAndDelete();
    const env = { ...LINUX, home: home() };
    const screen = openScreen({ json: true, color: false });
    const scanned = await scanUsage({ settings: readSettings({ configDir: settings() }, env), env, screen }, true);
    expect(messagesOf(scanned.scans)).to.equal(3);
    const late = await writeOldLog('three.jsonl', 'd');
    expect(await scan()).to.include({ messages: 4 });
    await rm(late);
    expect(messagesIn(await scanned.openUsages())).to.equal(4);
    expect(await scanned.openUsages()).to.equal(await scanned.openUsages());
    expect(await scan()).to.deep.equal({ warnings: [], messages: 4, kept: 2, changed: 0, input: 40 });
  });
});

function messagesOf(scans: ReadonlyArray<{ readonly platform: string; readonly messages: number }>): number {
  return scans.find(({ platform }) => platform === 'claude-code')!.messages;
}

function messagesIn(store: UsageStore): number {
  return addUpUsage(summarize(store), new Set()).get('claude-code')!.messages;
}

function expectDamage({ warnings }: { readonly warnings: readonly string[] }, path: string): void {
  expect(warnings).to.have.length(1);
  expect(warnings[0]).to.include(`${path} was damaged`);
}
