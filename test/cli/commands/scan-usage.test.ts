import { readFile, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { statLogFile } from '../../../cli/src/scan/read-log-file.ts';
import { claudeCode } from '../../../cli/src/sources/claude-code.ts';
import { storePath } from '../../../cli/src/store/open-store.ts';
import { assistantLine, writeLog } from '../support/log-lines.ts';
import { useWarmCli } from '../support/run-cli.ts';
import { damageStore, useStore } from '../support/stores.ts';
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
  const runCli = useWarmCli();
  const settings = (): string => join(home(), 'settings');
  const store = (): string => storePath(settings());

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

  it('reads no log, and keeps the counts of a deleted one', async () => {
    await scanAndDelete();
    const before = await readFile(store());
    for (const args of [[], ['--since', '2026-01-01']]) expect(await scan(...args)).to.deep.equal(AS_BEFORE);
    expect(await readFile(store())).to.deep.equal(before);
  });

  it('reports what this version counts differently, until a recount', async () => {
    const path = await writeOldLog('one.jsonl', 'a');
    await scan();
    /** As a version before the present one counted the log. */
    const age = async (): Promise<void> => {
      await useStore(settings(), (opened) => {
        const [entry] = opened.files.values();
        const { fingerprint } = statLogFile(claudeCode, path)!;
        opened.enter({ ...entry!, fingerprint, version: claudeCode.version - 1 });
      });
    };
    const version = (): Promise<number> => useStore(settings(), ({ files }) => [...files.values()][0]!.version);
    await age();
    expect((await runJson('--dry-run')).warnings).to.deep.equal([]);
    await runCli(home(), ['--config-dir', settings()]);
    expect(await version(), 'without a difference').to.equal(claudeCode.version);
    const part = { type: 'advisor_message', input_tokens: 5_000, output_tokens: 3 };
    const line = assistantLine({ id: 'a', request: 'r' });
    await writeLog(home(), path.slice(home().length), [
      line.replace('"output_tokens":20', `$&,"iterations":[${JSON.stringify(part)}]`),
    ]);
    await utimes(path, LONG_AGO, LONG_AGO);
    await age();
    for (const round of [1, 2]) {
      const { warnings } = await runJson('--dry-run');
      expect(warnings, `run ${round}`).to.have.length(1);
      expect(warnings[0]).to.include('Claude Code differently: input 5,010 instead of 10, output 23 instead of 20');
      expect((await scan()).input).to.equal(10);
    }
    await runJson('recount');
    expect(await scan()).to.include({ input: 5_010, messages: 2 });
    expect((await runJson('--dry-run')).warnings).to.deep.equal([]);
  });

  it('detects a damaged store, and recounts', async () => {
    await scanAndDelete();
    const broken = await damageStore(store());
    const scanned = await scan();
    expectDamage(scanned, store());
    expect(scanned).to.include(ANEW);
    expect(await readFile(`${store()}.damaged`)).to.deep.equal(broken);
    expect(await scan()).to.deep.equal({ warnings: [], messages: 2, kept: 0, changed: 0, input: 20 });
  });

  it('reports a damaged store in a dry run, which leaves it', async () => {
    await scanAndDelete();
    const broken = await damageStore(store());
    expectDamage(await runJson('--dry-run'), store());
    const text = await runCli(home(), ['--dry-run', '--config-dir', settings()]);
    expect(text.stdout + text.stderr).to.include(`${store()} was damaged`);
    expect(await readFile(store())).to.deep.equal(broken);
  });
});

function expectDamage({ warnings }: { readonly warnings: readonly string[] }, path: string): void {
  expect(warnings).to.have.length(1);
  expect(warnings[0]).to.include(`${path} was damaged`);
}
