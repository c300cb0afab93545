import { cp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openLedger, readLedger } from '../../../../cli/src/ledger/ledger.ts';
import { usagePath } from '../../../../cli/src/store/usage-file.ts';
import { assistantLine, writeLog } from '../../support/log-lines.ts';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { useFolder } from '../../support/temporary-folder.ts';

const CODEX = fileURLToPath(new URL('../../../fixtures/codex/sessions', import.meta.url));
const LONG_AGO = new Date('2026-05-01T10:00:00Z');

describe('a damaged store that has the counts of deleted logs', () => {
  const home = useFolder();
  const settings = (): string => join(home(), '.config/upsilon');
  const store = (): string => usagePath(settings());
  const run = (...args: readonly string[]): Promise<CliRun> => runCli(home(), args);
  let damaged: Buffer;

  beforeEach(async () => {
    const log = await writeLog(home(), '.claude/projects/p/one.jsonl', [assistantLine({ id: 'a', request: 'r' })]);
    await utimes(log, LONG_AGO, LONG_AGO);
    await cp(CODEX, join(home(), '.codex/sessions'), { recursive: true });
    expect((await run('sources')).exit).to.equal(0);
    await openLedger(settings());
    await rm(join(home(), '.codex'), { recursive: true });
    damaged = await readFile(store());
    damaged[damaged.length - 20]! ^= 0x40;
    await writeFile(store(), damaged);
  });

  const expectUnchanged = async (): Promise<void> => {
    expect(await readFile(store())).to.deep.equal(damaged);
    expect(await readLedger(settings())).to.include({ epoch: 0 });
    expect((await readdir(settings())).sort()).to.deep.equal(['ledger.json', 'usage.bin']);
  };
  const expectRefused = ({ exit, stderr }: CliRun): void => {
    expect(exit).to.equal(8);
    expect(stderr).to.include(`${store()} is damaged`).and.include('upsilon recount --logs-only');
  };

  it('is not recounted, unless only the logs are wanted', async () => {
    expectRefused(await run('recount'));
    await expectUnchanged();
    await writeFile(`${store()}.damaged`, 'of an earlier damage');
    expect(await run('recount', '--logs-only')).to.include({ exit: 0, stderr: '' });
    expect(await readLedger(settings())).to.include({ epoch: 1 });
    expect(await readFile(`${store()}.damaged`, 'utf8')).to.equal('of an earlier damage');
    expect(await readFile(`${store()}.damaged-2`)).to.deep.equal(damaged);
  });

  it('takes no import, whether or not that adds days', async () => {
    const report = join(home(), 'report.json');
    const tokens = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheCreationTokens: 4 };
    const agents = [{ agent: 'claude', ...tokens, modelBreakdowns: [{ modelName: 'x', ...tokens }] }];
    for (const daily of [[], [{ period: '2026-04-01', agent: 'all', agents }]]) {
      await writeFile(report, JSON.stringify({ daily }));
      for (const options of [[], ['--dry-run']]) expectRefused(await run('import', report, ...options));
    }
    await expectUnchanged();
  });

  it('is reported by top, which keeps it aside', async () => {
    const { exit, stderr } = await run('top');
    expect(exit).to.equal(0);
    expect(stderr).to.include(`${store()} was damaged`);
    expect(await readFile(`${store()}.damaged`)).to.deep.equal(damaged);
  });
});
