import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { readLedger } from '../../../cli/src/ledger/ledger.ts';
import { storePath } from '../../../cli/src/store/open-store.ts';
import { DAY_MS } from '../../../config/units.ts';
import type { Counts } from '../../../engine/contract/signing/index.ts';
import { leaveOut } from '../../support/leave-out.ts';
import { assistantLine, writeLog } from '../support/log-lines.ts';
import { signedHeader } from '../support/parsing.ts';
import { acceptAll, startService } from '../support/recording-service.ts';
import { useWarmCli } from '../support/run-cli.ts';
import { useFolder } from '../support/temporary-folder.ts';

const TOKENS = { inputTokens: 100, outputTokens: 200, cacheReadTokens: 300, cacheCreationTokens: 400 };

interface Printed {
  readonly days: readonly string[];
  readonly skipped_days: number;
  readonly rows: ReadonlyArray<Counts & { readonly period: string; readonly imported: boolean }>;
  readonly error: { readonly code: string };
}

describe('upsilon import', () => {
  const home = useFolder();
  const runCli = useWarmCli();
  const run = async (...args: readonly string[]): Promise<Printed> => {
    const { stdout } = await runCli(home(), [...args, '--json', '--timezone', 'Asia/Kolkata']);
    return JSON.parse(stdout);
  };
  /** A report of three days, on the last of which (1 May 2026) there is a log. */
  const prepare = async (): Promise<string> => {
    await writeLog(home(), '.claude/projects/p/one.jsonl', [assistantLine({ id: 'a', request: 'r' })]);
    const rows = ['2026-04-01', '2026-04-02', '2026-05-01'].map((period) => {
      const modelBreakdowns = [
        { modelName: 'claude-sonnet-4-5-20250929', ...TOKENS },
        { modelName: 'x', ...TOKENS },
      ];
      return { period, agent: 'all', agents: [{ agent: 'claude', ...TOKENS, modelBreakdowns }] };
    });
    const path = join(home(), 'report.json');
    await writeFile(path, JSON.stringify({ daily: rows }));
    return path;
  };
  const inputs = async () => {
    const { rows } = await run('daily');
    return rows.map(({ period, input, imported }) => [period, input, imported]);
  };

  it('adds the days whose logs are gone, once, and marks them', async () => {
    const path = await prepare();
    expect(await run('import', path)).to.deep.include({ days: ['2026-04-01', '2026-04-02'], skipped_days: 1 });
    const after = [
      ['2026-04-01', 200, true],
      ['2026-04-02', 200, true],
      ['2026-05-01', 10, false],
    ];
    expect(await inputs()).to.deep.equal(after);
    expect((await runCli(home(), ['daily'])).stdout)
      .to.include('2026-04-01*')
      .and.include('* includes counts');
    await run('import', path);
    expect(await inputs()).to.deep.equal(after);
    // The same days as tokscale names them: the maximum counts.
    const tokens = { input: 150, output: 1, cacheRead: 1, cacheWrite: 1, reasoning: 0 };
    const clients = [{ client: 'claude', modelId: 'claude-sonnet-4-5', tokens }];
    await writeFile(path, JSON.stringify({ contributions: [{ date: '2026-04-01', clients }] }));
    await run('import', path);
    expect((await inputs())[0]).to.deep.equal(['2026-04-01', 250, true]);
  });

  it('counts a repeated entry once, and a day no more whose logs are found later', async () => {
    const path = join(home(), 'report.json');
    const day = { date: '2026-05-01', ...TOKENS, modelBreakdowns: [{ modelName: 'x', ...TOKENS }] };
    await writeFile(
      path,
      JSON.stringify({ daily: [day, { ...day, date: '2026-04-30' }, day, { date: 'evil\u001b[31m' }] }),
    );
    const imported = await runCli(home(), ['import', path]);
    expect(imported.stdout).to.match(/claude-code +200 +400 +600 +800\n/);
    expect(imported.stdout).to.include('Left out 1 entry without a possible day');
    expect(await inputs()).to.deep.equal([
      ['2026-04-30', 100, true],
      ['2026-05-01', 100, true],
    ]);
    await writeLog(home(), '.claude/projects/p/one.jsonl', [assistantLine({ id: 'a', request: 'r' })]);
    const both = [
      ['2026-04-30', 100, true],
      ['2026-05-01', 10, false],
    ];
    expect(await inputs()).to.deep.equal(both);
    expect(await inputs()).to.deep.equal(both);
    expect(await run('import', path)).to.deep.include({ days: ['2026-04-30'], skipped_days: 1 });
    expect(await inputs()).to.deep.equal(both);
    await writeFile(
      path,
      JSON.stringify({ contributions: [{ date: '2026-04-01', clients: [{ client: 'a\u001b[31m' }] }] }),
    );
    const nothing = await runCli(home(), ['import', path]);
    expect(nothing.stdout)
      .to.include('There is nothing to import in this report of tokscale.')
      .and.not.include('\u001b');
  });

  if (!existsSync('/dev/zero')) leaveOut('linux', 'there is no /dev/zero on this machine');
  else {
    it('reads no more of what has no end than the largest report', async () => {
      expect((await run('import', '/dev/zero')).error.code).to.equal('report_invalid');
    });
  }

  it('is part of the totals, which are then submitted as derived, until a recount of the logs alone', async () => {
    await using service = await startService(acceptAll());
    const env = { UPSILON_BASE_URL: service.baseUrl, UPSILON_TOKEN: 'a-token', UPSILON_CODENAME: 'test-lantern' };
    const path = await prepare();
    const submitted = async () => {
      expect((await runCli(home(), ['--no-history'], env)).exit).to.equal(0);
      const { body } = service.requests.findLast(({ path: of }) => of.endsWith('/snapshots'))!;
      const { input }: Counts = JSON.parse(body);
      const { counting, epoch } = signedHeader(body);
      return [input, counting, epoch];
    };
    expect(await submitted()).to.deep.equal([10, 'exact', 0]);
    const requests = service.requests.length;
    expect((await runCli(home(), ['import', path], env)).exit).to.equal(0);
    expect(service.requests).to.have.length(requests);
    const sources = await runCli(home(), ['sources', '--source-dir', join(home(), '.claude')], env);
    expect(sources.stdout).to.include('4 daily sums imported from reports');
    expect(await submitted()).to.deep.equal([410, 'derived', 1]);
    await runCli(home(), ['import', path], env);
    expect(await submitted()).to.deep.equal([410, 'derived', 1]);
    await runCli(home(), ['recount'], env);
    expect(await submitted()).to.deep.equal([410, 'derived', 2]);
    await runCli(home(), ['recount', '--logs-only'], env);
    expect(await submitted()).to.deep.equal([10, 'exact', 3]);
  });

  it('submits imported days at their dates, also when totals were submitted before', async () => {
    await using service = await startService(acceptAll());
    const env = { UPSILON_BASE_URL: service.baseUrl, UPSILON_TOKEN: 'a-token', UPSILON_CODENAME: 'test-lantern' };
    await prepare();
    const day = new Date(Date.now() - 10 * DAY_MS).toISOString().slice(0, 10);
    const path = join(home(), 'recent.json');
    const agents = [{ agent: 'claude', ...TOKENS, modelBreakdowns: [{ modelName: 'x', ...TOKENS }] }];
    await writeFile(path, JSON.stringify({ daily: [{ period: day, agent: 'all', agents }] }));
    expect((await runCli(home(), [], env)).exit).to.equal(0);
    const { stdout } = await runCli(home(), ['import', path, '--timezone', 'UTC'], env);
    expect(stdout).to.include('a new epoch');
    const before = service.requests.length;
    expect((await runCli(home(), [], env)).exit).to.equal(0);
    const sent = service.requests
      .slice(before)
      .filter(({ path: of }) => of.endsWith('/snapshots'))
      .map(({ body }) => {
        const { as_of, epoch } = signedHeader(body);
        const { input }: Counts = JSON.parse(body);
        return [input, epoch, as_of === undefined ? null : new Date(as_of * 1_000).toISOString().slice(0, 10)];
      });
    expect(sent.slice(-2)).to.deep.equal([
      [110, 1, day],
      [110, 1, null],
    ]);
  });

  it('begins no epoch with lower totals than those submitted, before a recount', async () => {
    await using service = await startService(acceptAll());
    const env = { UPSILON_BASE_URL: service.baseUrl, UPSILON_TOKEN: 'a-token', UPSILON_CODENAME: 'test-lantern' };
    const report = await prepare();
    await writeLog(home(), '.claude/projects/p/gone.jsonl', [assistantLine({ id: 'b', request: 'r', output: 90_000 })]);
    expect((await runCli(home(), [], env)).exit).to.equal(0);
    const settings = join(home(), '.config/upsilon');
    await Promise.all([rm(storePath(settings)), rm(join(home(), '.claude/projects/p/gone.jsonl'))]);
    const { exit, stdout } = await runCli(home(), ['import', report, '--json']);
    expect([exit, JSON.parse(stdout).error.code]).to.deep.equal([8, 'counts_incomplete']);
    expect(await readLedger(settings)).to.include({ epoch: 0 });
    expect((await runCli(home(), ['recount'])).exit).to.equal(0);
    expect(await run('import', report)).to.deep.include({ days: ['2026-04-01', '2026-04-02'] });
    expect(await readLedger(settings)).to.include({ epoch: 1 });
  });

  it('changes nothing in a dry run, and refuses what is no report', async () => {
    const path = await prepare();
    expect(await run('import', path, '--dry-run')).to.deep.include({ days: ['2026-04-01', '2026-04-02'] });
    expect(await inputs()).to.deep.equal([['2026-05-01', 10, false]]);
    await writeFile(path, '{"session": []}');
    expect((await run('import', path)).error.code).to.equal('report_invalid');
    expect((await run('import', join(home(), 'missing.json'))).error.code).to.equal('report_invalid');
    const { stderr } = await runCli(home(), ['import', home()]);
    expect(stderr).to.include(`${home()} cannot be read: it is a folder`);
  });
});
