import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { VERSION } from '../../cli/src/version.ts';
import { freePort } from '../../ops/local/free-port.ts';
import { builtCli } from '../cli/support/built-cli.ts';
import { assistantLine } from '../cli/support/log-lines.ts';
import { claudeRequest } from '../cli/support/otlp-fixtures.ts';
import { signedHeader } from '../cli/support/parsing.ts';
import { runCli } from '../cli/support/run-cli.ts';
import { useFolder } from '../cli/support/temporary-folder.ts';
import { eventually } from '../support/eventually.ts';
import { type RunningService, runService } from '../support/running-service.ts';

const DAY_MS = 86_400_000;
const DAYS = 10;

/** Noon (UTC) of so many days ago, in milliseconds. */
function noon(ago: number): number {
  return (Math.floor(Date.now() / DAY_MS) - ago) * DAY_MS + DAY_MS / 2;
}

describe('from the metrics of a tool to the profile', () => {
  const home = useFolder();
  let service: RunningService;
  let watch: ChildProcess | undefined;
  let env: Readonly<Record<string, string>>;

  before(async () => {
    service = await runService();
  });
  after(() => service[Symbol.asyncDispose]());
  afterEach(async () => {
    if (watch?.exitCode === null) {
      watch.kill();
      await once(watch, 'exit');
    }
  });

  const upsilon = async (...args: readonly string[]) => {
    const { stdout, stderr, exit } = await runCli(home(), [...args, '--json'], env);
    expect(exit, stderr).to.equal(0);
    return JSON.parse(stdout);
  };

  /** Logs of ten days, the watch, and metrics of the same days with these outputs in place of 20,000. */
  async function run(codename: string, outputs: readonly number[]): Promise<void> {
    const { token } = await service.operator(codename);
    env = { UPSILON_BASE_URL: service.baseUrl, UPSILON_TOKEN: token, UPSILON_CODENAME: codename };
    const lines = Array.from({ length: DAYS }, (_, index) =>
      assistantLine({ id: `m${index}`, input: 10_000, output: 20_000, cacheRead: 90_000, cacheWrite: 40_000 }).replace(
        /"timestamp":"[^"]*"/,
        `"timestamp":"${new Date(noon(index + 1)).toISOString()}"`,
      ),
    );
    await mkdir(join(home(), '.claude/projects/p'), { recursive: true });
    await writeFile(join(home(), '.claude/projects/p/log.jsonl'), lines.map((line) => `${line}\n`).join(''));
    const port = await freePort();
    await upsilon('otel', 'enable', '--port', String(port));
    watch = spawn(process.execPath, [await builtCli(), 'watch'], {
      env: { PATH: process.env['PATH'] ?? '', HOME: home(), USERPROFILE: home(), UPSILON_KEYCHAIN: 'off', ...env },
      stdio: 'ignore',
    });
    await eventually('the receiver', () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        ({ status }) => status === 405,
        () => false,
      ),
    );
    for (const [index, output] of outputs.entries()) {
      const counts = { input: 10_000, output, cacheRead: 90_000, cacheCreation: 40_000 };
      const body = claudeRequest(counts, noon(index + 1));
      const headers = { 'content-type': 'application/json' };
      expect((await fetch(`http://127.0.0.1:${port}/v1/metrics`, { method: 'POST', headers, body })).status).to.equal(
        200,
      );
    }
    await eventually('the sums', async () => {
      const { platforms } = await upsilon('otel', 'status');
      return platforms['claude-code']?.length >= DAYS - 2;
    });
  }

  it('says that two records agree, and what was signed, without the metrics themselves', async () => {
    await run(
      'metered-fox',
      Array.from({ length: DAYS }, () => 19_901),
    );
    const { requests } = await upsilon('--dry-run');
    const present: Record<string, unknown> = { ...signedHeader(requests.at(-1).body) };
    expect(present).to.include({ counting: 'exact', cli: VERSION });
    expect(present['agreement']).to.have.all.keys('until', 'days');
    expect(Reflect.get(Object(present['agreement']), 'days')).to.match(/^1{8,9}$/);
    expect(JSON.stringify(requests)).to.not.include('19901');
    await upsilon();
    await eventually('the record', () => isConfirmed('metered-fox'));
    // For a second the response cache repeats a profile that the tool read between two snapshots.
    const profile = await eventually('the profile', async () => {
      const answer = await profileOf('metered-fox');
      return answer.integrity.level === 'two_sources' && answer;
    });
    expect(profile).to.have.deep.property('provenance', { counting: 'exact', tool_version: VERSION });
    // The board has the row from before, when nothing was compared.
    await eventually('the board', async () => {
      const board: { entries: readonly { codename: string; integrity: object }[] } = JSON.parse(
        await (await fetch(`${service.baseUrl}/leaderboard?limit=7`)).text(),
      );
      const entry = board.entries.find(({ codename }) => codename === 'metered-fox');
      return entry !== undefined && 'level' in entry.integrity && entry.integrity.level === 'two_sources';
    });
    const page = await fetch(new URL('/operators/metered-fox', service.baseUrl), {
      headers: { accept: 'text/markdown' },
    });
    expect(await page.text()).to.include(
      `The counts are **exact** (as the AI tools wrote them), according to version ${VERSION} of the tool`,
    );
  });

  it('says no such thing when they differ on most days', async () => {
    await run(
      'other-fox',
      Array.from({ length: DAYS }, (_, index) => (index < 3 ? 20_000 : 19_000)),
    );
    await upsilon();
    const { provenance } = (await recordOf('other-fox')) ?? {};
    expect(provenance).to.include('"counting":"exact"');
    expect(await isConfirmed('other-fox')).to.equal(false);
    expect(await profileOf('other-fox')).to.have.nested.property('integrity.level', 'self_reported');
  });

  const profileOf = async (codename: string): Promise<{ readonly integrity: { readonly level: string } }> =>
    JSON.parse(await (await fetch(`${service.baseUrl}/operators/${codename}`)).text());

  const recordOf = (codename: string) =>
    service.connection.collection<{ provenance: string; two_sources: boolean }>('operators').findOne({ codename });
  const isConfirmed = async (codename: string): Promise<boolean> => (await recordOf(codename))?.two_sources === true;
});
