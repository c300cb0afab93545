import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { storeLockPath } from '../../../cli/src/store/open-store.ts';
import type { Counts } from '../../../engine/contract/signing/index.ts';
import { writeCorpus } from '../../../ops/bench/scan/corpus/write-corpus.ts';
import { leaveOut } from '../../support/leave-out.ts';
import { runSeed } from '../../support/seeded-random.ts';
import { builtCli } from '../support/built-cli.ts';
import { assistantLine, writeLog } from '../support/log-lines.ts';
import { acceptAll, startService } from '../support/recording-service.ts';
import { useWarmCli } from '../support/run-cli.ts';
import { useFolder } from '../support/temporary-folder.ts';

const VIEWS = ['daily', 'weekly', 'monthly', 'session', 'blocks'];
const GROUPINGS = [
  ['--by', 'platform'],
  ['--by', 'model', '--timezone', 'Asia/Kolkata'],
  ['--by', 'project'],
];
const FIELDS = ['input', 'output', 'cache_read', 'cache_write'] as const;

interface Viewed {
  readonly timezone: string;
  readonly rows: ReadonlyArray<Counts & Readonly<Record<string, unknown>>>;
  readonly totals: Readonly<Record<string, Counts>>;
  /** Of a dry run. */
  readonly platforms?: ReadonlyArray<{ readonly platform: string; readonly totals: Counts }>;
  readonly prices?: ReadonlyArray<{ readonly model: string; readonly source: string | null }>;
  readonly error?: { readonly code: string; readonly message: string };
}

function sumOf(rows: readonly Counts[]): Counts {
  const sum = (field: keyof Counts) => rows.reduce((total, row) => total + row[field], 0);
  return {
    input: sum('input'),
    output: sum('output'),
    cache_read: sum('cache_read'),
    cache_write: sum('cache_write'),
  };
}

function daysOf({ rows, timezone }: Viewed): readonly unknown[] {
  return [timezone, ...rows.map(({ period }) => period)];
}

/** The UTC day, so many days ago. */
function day(ago: number): string {
  return new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
}

describe('the views of local usage', () => {
  const home = useFolder();
  const runCli = useWarmCli();
  const view = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Viewed> => {
    const run = await runCli(home(), [...args, '--json'], env);
    expect(run.stderr).to.equal('');
    return JSON.parse(run.stdout);
  };

  it('add up to the totals of a dry run, over generated logs, and send nothing', async () => {
    await writeCorpus(home(), 3 * 2 ** 20, runSeed(), Date.parse('2026-05-20T12:00:00Z'));
    const offline = { UPSILON_BASE_URL: 'http://127.0.0.1:9/api/v1' };
    const { platforms = [] } = await view(['--dry-run'], offline);
    const used = platforms.filter(({ totals }) => totals.output > 0);
    const expected = Object.fromEntries(used.map(({ platform, totals }) => [platform, totals]));
    expect(Object.keys(expected)).to.deep.equal(['claude-code', 'codex']);
    await using service = await startService(acceptAll());
    const env = { UPSILON_BASE_URL: service.baseUrl, UPSILON_TOKEN: 'a-token', UPSILON_CODENAME: 'test-lantern' };
    // Every view and every grouping; their combinations are those of views/usage-rows.
    for (const [at, name] of VIEWS.entries()) {
      for (const more of [[], GROUPINGS[at % GROUPINGS.length]!]) {
        const { rows, totals } = await view([name, ...more], env);
        expect(sumOf(rows), `${name} ${more.join(' ')}`).to.deep.equal(sumOf(Object.values(expected)));
        for (const [platform, sums] of Object.entries(expected)) {
          for (const field of FIELDS) expect(totals[platform]![field]).to.equal(sums[field]);
        }
      }
    }
    expect(service.requests).to.deep.equal([]);
  });

  it('show local days, and say of which time zone', async () => {
    await writeLog(home(), '.claude/projects/p/one.jsonl', [assistantLine({ id: 'a', request: 'r' })]);
    expect(daysOf(await view(['daily', '--timezone', 'Pacific/Kiritimati']))).to.deep.equal([
      'Pacific/Kiritimati',
      '2026-05-02',
    ]);
    expect(daysOf(await view(['daily'], { TZ: 'Pacific/Kiritimati' }))).to.deep.equal([
      'Pacific/Kiritimati',
      '2026-05-02',
    ]);
    expect(daysOf(await view(['daily'], { TZ: 'Pacific/Pago_Pago' }))).to.deep.equal([
      'Pacific/Pago_Pago',
      '2026-04-30',
    ]);
    expect(daysOf(await view(['daily', '--since', '2026-05-02', '--timezone', 'UTC']))).to.deep.equal(['UTC']);
    const shown = await runCli(home(), ['daily', '--timezone', 'Asia/Kolkata']);
    expect(shown.stdout).to.include('Days are those of Asia/Kolkata.').and.include('2026-05-01');
  });

  it('show cost by the list and by the own prices, and name models without a price', async () => {
    await writeLog(home(), '.claude/projects/p/one.jsonl', [
      assistantLine({ id: 'a', request: 'r' }),
      assistantLine({ id: 'b', request: 'r', model: 'test-model' }),
    ]);
    const price = { input: 1e6, output: 0, cache_read: 0, cache_write: 0 };
    const before = (await view(['monthly'])).rows[0]!;
    expect(before).to.include({ input: 20, cost_usd: (10 * 3 + 20 * 15 + 30 * 0.3 + 40 * 3.75) / 1e6 });
    expect(before['unpriced_models']).to.deep.equal(['test-model']);
    const shown = await runCli(home(), ['monthly']);
    expect(shown.stdout).to.include('$0.00+').and.include('no price is known for test-model');
    const settings = join(home(), '.config', 'upsilon', 'prices.json');
    await writeFile(settings, JSON.stringify({ 'test-model': price }), { mode: 0o600 });
    const { rows } = await view(['monthly', '--by', 'model']);
    expect(rows.map(({ model, cost_usd }) => [model, cost_usd])).to.have.deep.members([
      ['claude-sonnet-4-5-20250929', before['cost_usd']],
      ['test-model', 10],
    ]);
    const { prices = [] } = await view(['prices']);
    expect(prices.find(({ model }) => model === 'test-model')).to.include({ source: 'prices.json' });
  });

  it('name some of many models without a price, without what would control the terminal', async () => {
    const models = Array.from({ length: 12 }, (_, index) => `model-${index}\u001b]0;x\u0007${'x'.repeat(90)}`);
    const lines = models.map((model, index) => assistantLine({ id: `${index}`, request: 'r', model }));
    await writeLog(home(), '.claude/projects/p/one.jsonl', lines);
    const { stdout } = await runCli(home(), ['daily']);
    expect(stdout)
      .to.match(/no price is known for model-0 \]0;x x+…, .* and 4 others; upsilon prices/)
      .and.not.match(/[^\P{Cc}\n]/u);
    expect((await runCli(home(), ['prices'])).stdout).not.to.match(/[^\P{Cc}\n]/u);
  });

  if (!existsSync('/dev/full')) leaveOut('linux', 'there is no /dev/full on this machine');
  else {
    it('end with one sentence where the output cannot be written', async () => {
      await writeLog(home(), '.claude/projects/p/one.jsonl', [assistantLine({ id: 'a', request: 'r' })]);
      const program = await builtCli();
      const script = `"${process.execPath}" "${program}" session > /dev/full`;
      const { status, stderr } = spawnSync('sh', ['-c', script], { env: { HOME: home() }, encoding: 'utf8' });
      expect({ status, stderr }).to.deep.equal({
        status: 8,
        stderr: 'upsilon: the output cannot be written: the disk is full\n',
      });
    });
  }

  if (!existsSync('/sys')) leaveOut('linux', 'there is no /sys on this machine');
  else {
    it('work without a settings folder where none can be created, and say so in one sentence', async () => {
      await writeLog(home(), '.claude/projects/p/one.jsonl', [assistantLine({ id: 'a', request: 'r' })]);
      const run = (...args: readonly string[]) => runCli(home(), [...args, '--config-dir', '/sys/upsilon']);
      const kept = await runCli(home(), ['session']);
      expect((await run('session')).stdout).to.equal(kept.stdout);
      for (const command of ['daily', 'statusline', 'top', 'why', 'sources']) {
        const { exit, stdout, stderr } = await run(command);
        expect({ exit, stderr }, command).to.deep.equal({
          exit: 0,
          stderr:
            'Note: The counts are not kept, and the next run reads these logs again: ' +
            '/sys/upsilon/usage.lock cannot be written: permission denied.\n',
        });
        expect(stdout, command).not.to.equal('');
      }
      expect(await run('--dry-run')).to.include({ exit: 0, stderr: '' });
    });
  }

  it('are shown while another run holds the lock, and say that the counts are not kept', async () => {
    await writeLog(home(), '.claude/projects/p/one.jsonl', [assistantLine({ id: 'a', request: 'r' })]);
    const lock = storeLockPath(join(home(), '.config/upsilon'));
    await mkdir(dirname(lock), { recursive: true, mode: 0o700 });
    // This process lives.
    await writeFile(lock, `${process.pid} this-test`);
    for (const command of ['daily', 'top']) {
      const { exit, stdout, stderr } = await runCli(home(), [command]);
      expect({ exit, stderr }, command).to.deep.equal({
        exit: 0,
        stderr:
          'Note: The counts are not kept, and the next run reads these logs again: ' +
          `another run of this tool holds the lock ${lock}.\n`,
      });
      expect(stdout, command).not.to.equal('');
    }
    expect(await readFile(lock, 'utf8')).to.equal(`${process.pid} this-test`);
  });

  it('say that logs of another folder become part of the totals', async () => {
    await writeLog(home(), 'other/one.jsonl', [assistantLine({ id: 'a', request: 'r' })]);
    // A file that changed just now is read again.
    await utimes(join(home(), 'other/one.jsonl'), 1_777_600_000, 1_777_600_000);
    const daily = () => runCli(home(), ['daily', '--source-dir', join(home(), 'other')]);
    expect((await daily()).stderr)
      .to.include('part of the totals')
      .and.include('--config-dir');
    expect((await daily()).stderr).to.equal('');
  });

  it('take days without hyphens and relative ones, and either order', async () => {
    const lines = [0, 1, 3].map((ago) => {
      return assistantLine({ id: `${ago}`, request: 'r' }).replace(
        '2026-05-01T10:00:00.000Z',
        `${day(ago)}T00:01:00.000Z`,
      );
    });
    await writeLog(home(), '.claude/projects/p/one.jsonl', [assistantLine({ id: 'a', request: 'r' }), ...lines]);
    const periods = async (...args: readonly string[]) => {
      const { rows } = await view(['daily', '--timezone', 'UTC', ...args]);
      return rows.map(({ period }) => period);
    };
    expect(await periods('--until', '20260501')).to.deep.equal(['2026-05-01']);
    expect(await periods('--since', 'yesterday')).to.deep.equal([day(1), day(0)]);
    expect(await periods('--since', '3d', '--until', 'yesterday', '--order', 'desc')).to.deep.equal([day(1), day(3)]);
    const { rows } = await view(['blocks', '--active']);
    expect(rows.map(({ active }) => active)).to.deep.equal(rows.map(() => true));
  });

  it('are CSV with --csv, and nothing else', async () => {
    await writeLog(home(), '.claude/projects/-srv-atlas/one.jsonl', [assistantLine({ id: 'a', request: 'r' })]);
    const { stdout, stderr } = await runCli(home(), ['session', '--csv']);
    expect(stderr).to.equal('');
    const [head, row] = stdout.trimEnd().split('\r\n');
    expect(head).to.match(/^session,platform,project,first_used,last_used,input,output,/);
    expect(row).to.match(/^44444444-4444-4444-8444-444444444444,claude-code,\/srv\/atlas,2026-05-01T10:00:00.000Z,/);
    const both = await view(['session', '--csv', '--json']);
    expect(both.error).to.include({ code: 'settings_invalid', message: '--json and --csv exclude each other' });
  });

  it('say where they looked when there is nothing, and what is wrong with an option', async () => {
    expect((await runCli(home(), ['daily'])).stdout).to.include('No usage was counted');
    for (const bad of [
      ['--by', 'colour'],
      ['--until', 'tomorrow'],
      ['--until', '20260230'],
      ['--order', 'newest'],
      ['--timezone', 'Mars/Olympus'],
      ['--since', 'x'],
      ['--since', '2026-02-30'],
      ['--until', '2026-02-30'],
      ['--since', '2026-05-02', '--until', '2026-05-01'],
    ]) {
      expect(await view(['daily', ...bad])).to.have.nested.property('error.code', 'settings_invalid');
    }
  });
});
