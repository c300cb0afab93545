import { expect } from 'chai';
import { showExpectedStanding } from '../../../cli/src/commands/expected-standing.ts';
import { openScreen } from '../../../cli/src/output/screen.ts';
import type { Counts } from '../../../engine/contract/signing/index.ts';
import { PUBLIC_TOTALS } from '../../../engine/contract/unranked.ts';
import { assistantLine, writeLog } from '../support/log-lines.ts';
import { boardReply, type Reply, STANDING, startService } from '../support/recording-service.ts';
import { useWarmCli } from '../support/run-cli.ts';
import { useFolder } from '../support/temporary-folder.ts';

/** A Yield of 1,000 in two parts. */
const TOTALS: readonly Counts[] = [
  { input: 4, output: 10, cache_read: 0, cache_write: 7 },
  { input: 6, output: 90, cache_read: 1000, cache_write: 0 },
];

const NOWHERE = { baseUrl: 'http://127.0.0.1:9/api/v1', codename: null };

describe('the standing that counts would have', () => {
  const home = useFolder();
  const runCli = useWarmCli();

  it('is that of all counts together', async () => {
    await using service = await startService((request) => boardReply(request));
    const screen = openScreen({ json: true, color: false });
    const found = await showExpectedStanding(TOTALS, { baseUrl: service.baseUrl, codename: 'test-lantern' }, screen);
    expect(found).to.deep.equal({ yield_: 1000, ...STANDING, missing: [], reason: null });
    // Nobody has this codename there: no entry is left out.
    expect(service.requests.at(-1)!.path).to.equal('/api/v1/standing?window=all_time&yield=1000');
  });

  it('has no rank where the board cannot be read, and says why', async () => {
    const replies = [
      null,
      { status: 503, body: {} },
      { status: 200, body: '<html>' },
      { status: 200, body: { entries: [] } },
      { status: 302 },
    ];
    for (const reply of replies) {
      const unknown = await place(reply);
      expect(unknown).to.include({ class_tier: null, rank: null }).and.have.property('reason').that.is.a('string');
    }
  });

  it('has no rank after too many requests, and does not take the service for another one', async () => {
    const busy = await place({ status: 429, body: { code: 'rate_limited', detail: 'Too many requests.' } });
    expect(busy)
      .to.have.property('reason')
      .that.matches(/ is busy: Too many requests\. \(rate_limited\)$/);
  });

  it('says what the counts lack for the floors of the service, and what the present row shows', async () => {
    const floors = { minimum_tokens: 5_000, minimum_input: 1_000, minimum_input_share: 0, minimum_witnessed_days: 5 };
    const integrity = { level: 'self_reported', flags: ['extraordinary-yield'] };
    const profile = { provisional: true, witnessed_days: 2, integrity, missing: [] };
    await writeLog(home(), '.claude/projects/p/one.jsonl', [assistantLine({ id: 'a', request: 'r' })]);
    await using service = await startService(({ path }) =>
      path.includes('/operators/')
        ? { status: 200, body: profile }
        : { status: 200, body: { total_operators: 0, entries: [], floors } },
    );
    const env = { UPSILON_BASE_URL: service.baseUrl, UPSILON_CODENAME: 'test-lantern' };
    const { stdout } = await runCli(home(), ['--dry-run'], env);
    expect(stdout).to.match(
      /no rank yet: needs 5,000\s+tokens,\s+has\s+\d+%\s+of\s+that;\s+needs\s+1,000\s+input\s+tokens,\s+has\s+\d+%/,
    );
    expect(stdout).to.match(/Witnessed\s+2\s+of\s+45\s+days,\s+so\s+the\s+row\s+is\s+provisional/);
    expect(stdout).to.include('Flag extraordinary-yield: ');
    const { standing } = JSON.parse((await runCli(home(), ['--dry-run', '--json'], env)).stdout);
    expect(standing.missing.map(({ of, needs }: { of: string; needs: number }) => [of, needs])).to.deep.equal([
      ['tokens', 5_000],
      ['input', 1_000],
    ]);
  });

  it('does not exist without input', async () => {
    const screen = openScreen({ json: true, color: false });
    expect(await showExpectedStanding([{ ...TOTALS[1]!, input: 0 }], NOWHERE, screen)).to.equal(null);
  });

  it('is shown by a dry run, offline too', async () => {
    await writeLog(home(), '.claude/projects/p/one.jsonl', [assistantLine({ id: 'a', request: 'r' })]);
    await using service = await startService((request) => boardReply(request));
    const online = { UPSILON_BASE_URL: service.baseUrl };
    const offline = { UPSILON_BASE_URL: NOWHERE.baseUrl };
    const shown = await runCli(home(), ['--dry-run'], online);
    expect(shown.stdout).to.include(
      'Yield 6, tier REFINER: on the all-time board these counts would be rank 3 of 4 (percentile 50).',
    );
    const alone = await runCli(home(), ['--dry-run'], offline);
    expect(shown.stdout.replaceAll(/\s+/g, ' ')).to.include(PUBLIC_TOTALS);
    expect(alone).to.include({ exit: 0, stderr: '' });
    expect(alone.stdout).to.include('Yield 6. Rank and tier are unknown: cannot reach http://127.0.0.1:9/');
    expect(JSON.parse((await runCli(home(), ['--dry-run', '--json'], online)).stdout).standing).to.include({ rank: 3 });
  });
});

/** The standing of the totals with this reply of the service. */
async function place(reply: Reply): Promise<object | null> {
  await using service = await startService(() => reply);
  const screen = openScreen({ json: true, color: false });
  return await showExpectedStanding(TOTALS, { baseUrl: service.baseUrl, codename: null }, screen);
}
