import { spawnSync } from 'node:child_process';
import { appendFile, cp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openLedger, readLedger } from '../../../../cli/src/ledger/ledger.ts';
import { storePath } from '../../../../cli/src/store/open-store.ts';
import { leaveOut } from '../../../support/leave-out.ts';
import { builtCli } from '../../support/built-cli.ts';
import { assistantLine, writeLog } from '../../support/log-lines.ts';
import { type CliRun, useWarmCli } from '../../support/run-cli.ts';
import { damageStore } from '../../support/stores.ts';
import { useFolder } from '../../support/temporary-folder.ts';

const CODEX = fileURLToPath(new URL('../../../fixtures/codex/sessions', import.meta.url));
const LONG_AGO = new Date('2026-05-01T10:00:00Z');

describe('a damaged store that has the counts of deleted logs', () => {
  const home = useFolder();
  const runCli = useWarmCli();
  const settings = (): string => join(home(), '.config/upsilon');
  const store = (): string => storePath(settings());
  const run = (...args: readonly string[]): Promise<CliRun> => runCli(home(), args);
  let damaged: Buffer;
  let log: string;

  beforeEach(async () => {
    log = await writeLog(home(), '.claude/projects/p/one.jsonl', [assistantLine({ id: 'a', request: 'r' })]);
    await utimes(log, LONG_AGO, LONG_AGO);
    await cp(CODEX, join(home(), '.codex/sessions'), { recursive: true });
    expect((await run('sources')).exit).to.equal(0);
    await openLedger(settings());
    await rm(join(home(), '.codex'), { recursive: true });
    damaged = await damageStore(store());
  });

  const expectUnchanged = async (): Promise<void> => {
    expect(await readFile(store())).to.deep.equal(damaged);
    expect(await readLedger(settings())).to.include({ epoch: 0 });
    expect((await readdir(settings())).sort()).to.deep.equal(['ledger.json', 'usage.db']);
  };
  const expectRefused = (
    { exit, stderr }: CliRun,
    path = store(),
    advice = 'accept the loss and count only what the remaining logs have: upsilon recount --logs-only',
  ): void => {
    expect(exit).to.equal(8);
    expect(stderr).to.include(`${path} is damaged`).and.include('Restore').and.include(advice);
  };
  const copies = async (): Promise<readonly string[]> =>
    (await readdir(settings())).filter((name) => name.startsWith('usage.db.')).sort();

  it('is not recounted, unless only the logs are wanted', async () => {
    expectRefused(await run('recount'));
    await expectUnchanged();
    await writeFile(`${store()}.damaged`, 'of an earlier damage');
    expect(await run('recount', '--logs-only')).to.include({ exit: 0, stderr: '' });
    expect(await readLedger(settings())).to.include({ epoch: 1 });
    expect(await copies()).to.deep.equal(['usage.db.dropped', 'usage.db.dropped-2']);
    expect(await readFile(`${store()}.dropped`, 'utf8')).to.equal('of an earlier damage');
    expect(await readFile(`${store()}.dropped-2`)).to.deep.equal(damaged);
    expect(await run('recount')).to.include({ exit: 0, stderr: '' });
  });

  for (const command of ['top', 'sources', 'daily']) {
    it(`is not forgotten once ${command} replaced it, until its copy is deleted`, async () => {
      await appendFile(log, `${assistantLine({ id: 'b', request: 'r' })}\n`);
      const { exit, stderr, stdout } = await run(command);
      expect(exit).to.equal(0);
      expect(stdout + stderr)
        .to.include(`${store()} was damaged`)
        .and.include('upsilon recount shows how');
      const copy = `${store()}.damaged`;
      expect(await readFile(copy)).to.deep.equal(damaged);
      const replaced = await readFile(store());
      const report = join(home(), 'report.json');
      await writeFile(report, JSON.stringify({ daily: [] }));
      for (const args of command === 'sources'
        ? [['recount'], ['import', report], ['import', report, '--dry-run']]
        : [['recount']]) {
        expectRefused(await run(...args), copy, 'Then, or to accept the loss, delete the damaged copy.');
      }
      expect(await readFile(store())).to.deep.equal(replaced);
      expect(await readLedger(settings())).to.include({ epoch: 0 });
      await rm(copy);
      expect(await run('recount')).to.include({ exit: 0, stderr: '' });
    });
  }

  if (process.platform !== 'linux') leaveOut('linux', 'a shell of this machine may not limit the size of files');
  else {
    it('is not lost while there is no space for a new one', async () => {
      // Enough for the lock.
      const limited = [`ulimit -f 1; exec "$@"`, 'sh', process.execPath, await builtCli(), 'sources'];
      const env = { HOME: home(), UPSILON_KEYCHAIN: 'off', UPSILON_CONFIG_DIR: settings() };
      const { status, stderr } = spawnSync('sh', ['-c', ...limited], { env, encoding: 'utf8' });
      expect(stderr).to.include(`${store()} cannot be read or written`);
      expect(status).to.equal(8);
      expect(await readFile(`${store()}.damaged`)).to.deep.equal(damaged);
      expectRefused(await run('recount'), `${store()}.damaged`, 'delete the damaged copy.');
    });
  }

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
});
