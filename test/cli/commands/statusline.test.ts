import { appendFile, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { writeLog } from '../support/log-lines.ts';
import { acceptAll, startService } from '../support/recording-service.ts';
import { useWarmCli } from '../support/run-cli.ts';
import { useFolder } from '../support/temporary-folder.ts';

/** A response of this moment. */
function lineNow(id: string): string {
  return JSON.stringify({
    type: 'assistant',
    timestamp: new Date().toISOString(),
    sessionId: 's1',
    requestId: 'r',
    message: {
      id,
      model: 'claude-sonnet-4-5',
      role: 'assistant',
      usage: { input_tokens: 100, output_tokens: 200, cache_read_input_tokens: 1500, cache_creation_input_tokens: 0 },
    },
  });
}

/** A time zone in which it is about noon, so that no day begins during a test. */
function zoneOfNoon(): string {
  const ahead = 12 - new Date().getUTCHours();
  // The signs of these names are those of POSIX: west is positive.
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

describe('upsilon statusline', () => {
  const home = useFolder();
  const runCli = useWarmCli();

  it('prints the day and the block in one line, and looks for new logs only after a time; sends nothing', async () => {
    await using service = await startService(acceptAll());
    const run = async (...args: readonly string[]) => {
      const done = await runCli(home(), ['statusline', '--timezone', zoneOfNoon(), ...args], {
        UPSILON_BASE_URL: service.baseUrl,
      });
      expect(done).to.include({ exit: 0, stderr: '' });
      return done.stdout;
    };
    const path = await writeLog(home(), '.claude/projects/p/one.jsonl', [lineNow('a')]);
    await utimes(path, new Date(0), new Date(0));
    const once = /^today 1\.80k \$0\.00 Yield 30 · claude-code block 1\.80k \$0\.00 [45]h\d\dm left\n$/;
    expect(await run()).to.match(once);
    await appendFile(path, `${lineNow('b')}\n`);
    expect(await run()).to.match(once);
    expect(await run('--max-age', '0')).to.include('today 3.60k');
    await appendFile(path, `${lineNow('c')}\n`);
    expect(await run()).to.include('today 3.60k');
    expect(await run('--platform', 'claude-code'), 'another question').to.include('today 5.40k');
    const last = join(home(), '.config', 'upsilon', 'statusline.json');
    const look = JSON.parse(await readFile(last, 'utf8'));
    await writeFile(last, JSON.stringify({ ...look, at: look.at - 61 }));
    expect(await run()).to.include('today 5.40k');
    await writeFile(last, 'not JSON');
    expect(await run()).to.include('today 5.40k');
    const { total, blocks }: { total: number; blocks: readonly object[] } = JSON.parse(await run('--json'));
    expect(total).to.equal(5400);
    expect(blocks).to.have.length(1);
    expect(service.requests).to.deep.equal([]);
  });

  it('has nothing to show on a machine without logs, and refuses an impossible age', async () => {
    expect((await runCli(home(), ['statusline'])).stdout).to.equal('today 0 $0.00\n');
    expect(await runCli(home(), ['statusline', '--max-age', '-1'])).to.include({ exit: 2 });
  });
});

describe('upsilon top', () => {
  const home = useFolder();
  const runCli = useWarmCli();

  it('shows the day once without a terminal, keeps what it counted, and sends nothing', async () => {
    await using service = await startService(acceptAll());
    await writeLog(home(), '.claude/projects/p/one.jsonl', [lineNow('a')]);
    const env = { UPSILON_BASE_URL: service.baseUrl, TZ: zoneOfNoon() };
    const { stdout, stderr, exit } = await runCli(home(), ['top'], env);
    expect({ stderr, exit }).to.deep.equal({ stderr: '', exit: 0 });
    expect(stdout.split('\n').slice(0, 5).join('\n')).to.match(
      /^today 1\.80k [^]* tokens by hour [^]*\n\nLast used +Session/,
    );
    expect((await runCli(home(), ['statusline', '--max-age', '3600'], env)).stdout).to.include('today 1.80k');
    expect(service.requests).to.deep.equal([]);
  });
});
