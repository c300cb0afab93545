import { execFile } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { VERSION } from '../../../cli/src/version.ts';
import { useFreshFixture } from '../../support/use-fixture.ts';
import { assistantLine, writeLog } from '../support/log-lines.ts';
import { signedHeader } from '../support/parsing.ts';
import { acceptAll, type RecordingService, type Reply, STANDING, startService } from '../support/recording-service.ts';
import { type CliRun, runCli, useWarmCli } from '../support/run-cli.ts';
import { startSignInService } from '../support/sign-in-service.ts';
import { useFolder } from '../support/temporary-folder.ts';

/** What commands print, as far as these tests look at it. */
interface Printed {
  readonly warnings: readonly string[];
  readonly epoch: number;
  readonly rank: number;
  readonly profile: object | null;
  readonly newer: object | null;
  readonly submissions: readonly object[];
  readonly history: readonly object[];
  readonly sources: ReadonlyArray<{ readonly platform: string; readonly messages: number }>;
  readonly unrankable: ReadonlyArray<{ readonly title: string }>;
  readonly platforms: Printed['sources'];
  readonly since: { readonly platforms: Readonly<Record<string, { readonly input: number }>> };
  readonly codename: string | null;
  readonly devices: readonly object[];
  readonly services: ReadonlyArray<{ readonly name: string | null; readonly base_url: string }>;
  readonly checkout_url: string;
  readonly error: { readonly exit: number; readonly code: string; readonly message: string };
}

/** The present time, so many days ago. */
const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

/** The bodies of the snapshots that a service was sent. */
const snapshotsOf = ({ requests }: RecordingService): readonly string[] =>
  requests.filter(({ path }) => path.endsWith('/snapshots')).map(({ body }) => body);

describe('the commands of upsilon', () => {
  const home = useFolder();
  const warm = useWarmCli();
  let service: RecordingService;

  const serve = async (more: (path: string) => Reply | undefined = () => undefined): Promise<void> => {
    service = await startService((request) => more(request.path) ?? acceptAll()(request));
  };
  const run = async (...args: readonly string[]): Promise<Printed> => {
    const done = await upsilon(...args, '--json');
    expect(done, done.stderr).to.include({ exit: 0 });
    return JSON.parse(done.stdout);
  };
  const upsilon = (...args: readonly string[]): Promise<CliRun> =>
    warm(home(), args, {
      UPSILON_BASE_URL: service.baseUrl,
      UPSILON_TOKEN: 'a-secret-token',
      UPSILON_CODENAME: 'test-lantern',
    });
  const log = (name: string, id: string): Promise<string> =>
    writeLog(home(), `.claude/projects/p/${name}`, [assistantLine({ id, request: 'r' })]);

  afterEach(() => service[Symbol.asyncDispose]());

  it('sources: shows what was found, how it is counted, and what cannot be ranked; sends nothing', async () => {
    await serve();
    await log('one.jsonl', 'a');
    const { sources, unrankable } = await run('sources');
    expect(sources.find(({ platform }) => platform === 'claude-code')).to.include({ messages: 1 });
    expect(sources.find(({ platform }) => platform === 'kimi')).to.include({ messages: 0 });
    expect(unrankable.map(({ title }) => title)).to.include.members(['Cursor', 'Warp', 'Antigravity']);
    const { stdout } = await upsilon('sources');
    expect(stdout)
      .to.match(/1 file, \d+ B, /)
      .and.include('Kimi')
      .and.not.include('Kimi (kimi)');
    expect(service.requests).to.deep.equal([]);
  });

  it('names an encrypted log in a dry run, in sources and after a submission', async () => {
    await serve();
    await log('one.jsonl', 'a');
    await writeLog(home(), '.claude/projects/p/two.jsonl', ['age-encryption.org/v1']);
    for (const args of [['--dry-run'], ['sources'], []]) {
      const { warnings } = await run(...args);
      expect(warnings.join('\n'), args.join(' ')).to.match(/two\.jsonl \(encrypted or damaged\)/);
    }
    expect(snapshotsOf(service)).not.to.be.empty;
  });

  it('submits past days once, and recounts in a new epoch without losing usage of deleted logs', async () => {
    await serve();
    const gone = await log('gone.jsonl', 'a');
    await log('there.jsonl', 'b');
    await run();
    await run();
    const counts = { input: 20, output: 40, cache_read: 60, cache_write: 80 };
    expect(snapshotsOf(service).map((body) => signedHeader(body).as_of !== undefined)).to.deep.equal([
      true,
      false,
      false,
    ]);
    await rm(gone);
    expect(await run('recount')).to.include({ epoch: 1 });
    await run();
    expect(
      snapshotsOf(service)
        .slice(3)
        .map((body) => signedHeader(body).epoch),
    ).to.deep.equal([1, 1]);
    expect(JSON.parse(snapshotsOf(service).at(-1)!)).to.include(counts);
    await run('recount', '--logs-only');
    await run();
    expect(signedHeader(snapshotsOf(service).at(-1)!).epoch).to.equal(2);
    expect(JSON.parse(snapshotsOf(service).at(-1)!)).to.include({ input: 10 });
    const { stream } = signedHeader(snapshotsOf(service)[0]!);
    expect(new Set(snapshotsOf(service).map((body) => signedHeader(body).stream))).to.deep.equal(new Set([stream]));
  });

  it('says after a submission that the row is hidden, and reads no profile', async () => {
    const hidden = { accepted: true, codename: 'test-lantern', rank: null, would_be: 3, hidden: true };
    service = await startService(acceptAll(hidden));
    await log('one.jsonl', 'a');
    const { stdout } = await upsilon();
    expect(stdout).to.include('test-lantern is hidden: it is on no board.').and.not.include('rank');
    expect(service.requests.map(({ path }) => path).filter((path) => path.includes('/operators/'))).to.deep.equal([]);
  });

  it('--platform and --since: show less, and still submit all-time totals', async () => {
    await serve();
    await log('one.jsonl', 'a');
    const only: Printed = JSON.parse((await upsilon('--dry-run', '--platform', 'codex', '--json')).stdout);
    expect(only.platforms.map(({ platform }) => platform)).to.deep.equal(['codex']);
    expect((await run('--dry-run', '--since', '2026-05-01')).since.platforms['claude-code']).to.include({ input: 10 });
    expect((await run('--dry-run', '--since', '2026-05-02')).since.platforms['claude-code']).to.include({ input: 0 });
    const wrong = await upsilon('--platform', 'claude', '--since', 'someday');
    expect(wrong.exit).to.equal(2);
    expect(wrong.stderr).to.include('claude-code').and.include('someday');
  });

  it('draws the submitted history after it was submitted, and in the status', async () => {
    await serve();
    const lines = [3, 1].map((ago) => {
      const id = `m${ago}`;
      return assistantLine({ id, request: 'r', output: 20 * ago }).replace('2026-05-01T10:00:00.000Z', daysAgo(ago));
    });
    await writeLog(home(), '.claude/projects/p/one.jsonl', lines);
    // 60 × 30 / 10², and twice the cache reads with 80 of output and twice the input.
    const [first, last] = [3, 1].map(daysAgo).map((each) => each.slice(0, 10));
    const chart = `All-time Yield by day, from submitted history:\n██▁\n${first} to ${last}, least 12, greatest 18\n`;
    const { requests } = service;
    expect((await upsilon()).stdout).to.include(chart);
    const submitted = requests.length;
    expect((await upsilon('status')).stdout).to.include(chart);
    expect((await run('status')).history).to.deep.equal(
      [3, 2, 1].map(daysAgo).map((each, at) => ({ day: each.slice(0, 10), yield_: at === 2 ? 12 : 18 })),
    );
    // One snapshot, profile and history: there was no new past.
    const before = requests.length;
    expect((await upsilon()).stdout).not.to.include('Yield by day');
    expect(requests.slice(before).map(({ method }) => method)).to.deep.equal(['POST', 'GET', 'GET']);
    expect(submitted).to.equal(7);
    await run('recount');
    expect((await upsilon('status')).stdout).not.to.include('Yield by day');
  });

  it('status: shows the rank and what was submitted', async () => {
    const profile = { codename: 'test-lantern', rank: 12, class_tier: 'BASE', movement_24h: 3, yield_: 6 };
    const offered = { cli_version: '9.0.0', cli_package: 'https://board.example/cli/upsilon.tgz' };
    await serve((path) => {
      if (path === '/.well-known/oauth-protected-resource/api/v1') return { status: 200, body: offered };
      if (path.includes('/standing?')) return { status: 200, body: STANDING };
      return path.endsWith('/operators/test-lantern') ? { status: 200, body: profile } : undefined;
    });
    await log('one.jsonl', 'a');
    const command = `npm install -g --allow-remote=root ${offered.cli_package}`;
    expect((await upsilon('status')).stdout)
      .to.include('rank 3 of 4 (percentile 50), tier REFINER, Yield 6, up 3 in 24 h')
      .and.include('Next: rank 2 from Yield 7; tier SEEKER from Yield 10 (rank 2).')
      .and.include(`Version 9.0.0 of the tool is out (this is ${VERSION}). Run:\n  ${command}\n`)
      .and.include(`Nothing was submitted from here to ${service.baseUrl} yet.`);
    await run();
    const status = await run('status');
    expect(status.profile).to.include({ rank: 12 });
    expect(status.submissions).to.have.length(1);
    expect(status.newer).to.deep.equal({ version: '9.0.0', command });
    await run('recount');
    expect((await upsilon('status')).stdout)
      .to.match(/claude-code +10 +20 +30 +40\n/)
      .and.include('You have recounted since.');
    await run();
    expect((await upsilon('status')).stdout).not.to.include('recounted');
  });

  it('prints nothing of a service that would control the terminal', async () => {
    const evil = 'x\u001b]0;y\u0007\u009b31m';
    const profile = { rank: 1, class_tier: evil, integrity: { flags: [evil] } };
    await serve((path) => {
      if (path.endsWith('/me')) return { status: 200, body: { codename: evil } };
      return path.includes('/operators/') ? { status: 200, body: profile } : undefined;
    });
    for (const command of ['status', 'whoami']) {
      const { stdout, stderr } = await upsilon(command);
      expect(stdout + stderr).not.to.match(/[^\P{Cc}\n]/u);
    }
    expect((await upsilon('whoami')).exit).to.equal(3);
  });

  it('whoami: says what an automation token and an address without the path of the API lack', async () => {
    const detail = 'An automation token can only submit snapshots.';
    await serve((path) => {
      if (path.endsWith('/me')) return { status: 403, body: { code: 'token_scope', detail } };
      return path.startsWith('/operators')
        ? { status: 406, body: { code: 'not_acceptable', detail: 'No.' } }
        : undefined;
    });
    const limited = await upsilon('whoami');
    expect(limited.exit).to.equal(3);
    expect(limited.stderr).to.include(detail).and.include('sign in without that token: upsilon login');
    const page = await upsilon('status', '--base-url', service.baseUrl.replace('/api/v1', ''));
    expect(page.stderr).to.include('Is --base-url right? It ends in /api/v1.');
  });

  it('completion: prints a script for a shell it knows', async () => {
    await serve();
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { stdout } = await upsilon('completion', shell);
      expect(stdout).to.include('recount').and.include('dry-run');
    }
    expect((await upsilon('completion', 'tcsh')).exit).to.equal(2);
  });

  it('completion: completes commands, their options and platforms in bash', async () => {
    await serve();
    const { stdout: script } = await upsilon('completion', 'bash');
    const complete = async (...words: readonly string[]): Promise<readonly string[]> => {
      const line = ['upsilon', ...words].map((word) => `'${word}'`).join(' ');
      const asked = `COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _upsilon; echo "\${COMPREPLY[@]}"`;
      const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', `${script}\n${asked}`]);
      return stdout.trim().split(' ');
    };
    expect(await complete('wa')).to.deep.equal(['watch']);
    expect(await complete('watch', '--in')).to.deep.equal(['--interval']);
    expect(await complete('--platform', 'co')).to.deep.equal(['codex', 'copilot-cli']);
    expect(await complete('devices', 're')).to.deep.equal(['revoke']);
    expect(await complete('--json', '--dry')).to.deep.equal(['--dry-run']);
  });

  it('--help: lists every command', async () => {
    await serve();
    const { stdout } = await upsilon('--help');
    expect((await upsilon('help')).stdout).to.equal(stdout);
    for (const name of ['login', 'logout', 'status', 'whoami', 'devices', 'sources', 'watch', 'recount']) {
      expect(stdout).to.include(name);
    }
  });

  it('--help: has an example and the inherited options, of every command, and groups of commands', async () => {
    await serve();
    const { stdout: main } = await upsilon('--help');
    for (const group of ['The board', 'Your usage', 'This machine']) expect(main).to.include(`\n${group}:\n`);
    expect(main)
      .to.match(/Example: upsilon --dry-run\n$/)
      .and.not.match(/\nCommands:|Global/);
    const names = Array.from(main.matchAll(/^ {2}([a-z][a-z-]*)/gm), ([, name = '']) => name).filter(
      (name) => name !== 'help',
    );
    expect(names).to.include.members(['daily', 'import', 'what-if', 'league', 'verify']).and.have.length.above(25);
    for (const name of names) {
      const { stdout } = await upsilon(name, '--help');
      // The example of a group is that of one of its commands.
      const isGroup = ['league', 'service', 'devices'].includes(name);
      if (!isGroup) expect(stdout, name).to.match(new RegExp(`Example: upsilon ${name}( |$)`, 'm'));
      expect(stdout, name).to.include('--since <date>').and.include('--json').and.not.include('--mcp');
    }
  });

  it('--help: breaks no word on a narrow terminal', async () => {
    const terminal = 'Object.assign(process.stdout,{isTTY:true,columns:60})';
    const { stdout } = await runCli(home(), ['--help'], { NODE_OPTIONS: `--import=data:text/javascript,${terminal}` });
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).to.be.within(40, 60);
  });

  it('watch: submits immediately and repeatedly, and ends when it is stopped', async () => {
    await serve((path) => (path.endsWith('/snapshots') ? { status: 402, body: { code: 'plan_required' } } : undefined));
    await log('one.jsonl', 'a');
    const stopped = await upsilon('watch', '--interval', '5');
    expect(stopped.exit).to.equal(7);
    expect(stopped.stderr).to.include('every 5 minutes').and.include('upsilon subscribe');
    expect((await upsilon('watch', '--interval', '0')).exit).to.equal(2);
  });
});

describe('usage errors of upsilon', () => {
  const home = useFolder();
  const warm = useWarmCli();

  it('are reported like other failures, with what to do next', async () => {
    for (const [args, message] of [
      [['frobnicate'], "unknown command 'frobnicate'"],
      [['stauts'], "unknown command 'stauts'\n(Did you mean status?)"],
      [['login', 'more'], "too many arguments for 'login'"],
      [['whatif', '--input', 'x2'], "unknown command 'whatif'\n(Did you mean what-if?)"],
      [['service', 'instal'], "unknown command 'service instal'\n(Did you mean install?)"],
      [['service', 'status', 'more'], "too many arguments for 'status'"],
      [['devices', 'revoke'], "missing required argument 'kid'"],
      [['--bogus'], "unknown option '--bogus'"],
    ] as const) {
      const result = await warm(home(), args);
      expect(result).to.include({ exit: 2, stdout: '' });
      expect(result.stderr)
        .to.include(`upsilon: ${message}`)
        .and.match(/See upsilon ([a-z]+ )?--help\./);
    }
    const asJson = await warm(home(), ['stauts', '--json']);
    expect(asJson).to.include({ exit: 2, stderr: '' });
    expect(JSON.parse(asJson.stdout).error.message).to.include("unknown command 'stauts'\n(Did you mean status?)");
  });
});

describe('upsilon --mcp, without a client', () => {
  const home = useFolder();

  it('ends at the end of its input, which may be a file that is never closed', async () => {
    expect(await runCli(home(), ['--mcp'])).to.include({ exit: 0, stdout: '', stderr: '' });
  });
});

describe('upsilon, signed in', () => {
  const home = useFolder();
  const warm = useWarmCli();
  const service = useFreshFixture(startSignInService);

  const run = async (...args: readonly string[]): Promise<Printed> => {
    const done = await warm(home(), [...args, '--json']);
    return JSON.parse(done.stdout);
  };

  it('signs in by a code, remembers the service, submits, manages its devices and plan, and signs out', async () => {
    await writeLog(home(), '.claude/projects/p/one.jsonl', [assistantLine({ id: 'a', request: 'r' })]);
    const login = await warm(home(), ['login', '--device'], { UPSILON_BASE_URL: service().baseUrl });
    expect(login.stderr).to.include('BCDF-GHJK');
    expect(login.stdout).to.include('test-lantern');
    expect(await readdir(join(home(), '.config', 'upsilon'))).to.have.members(['secrets.json', 'sessions.json']);
    expect(await run('whoami')).to.include({ codename: 'test-lantern', base_url: service().baseUrl });
    const elsewhere = await run('whoami', '--base-url', 'http://localhost:1/api/v1');
    expect(elsewhere.error.message).to.equal('you are not signed in at http://localhost:1/api/v1');
    expect(await run()).to.include({ codename: 'test-lantern' });
    expect((await run('devices')).devices).to.have.length(1);
    expect(await run('devices', 'revoke', 'k'.repeat(43))).to.include({ revoked: 'k'.repeat(43) });
    expect(await run('subscribe')).to.include({ checkout_url: 'https://pay.example/checkout' });
    expect(await run('logout')).to.include({ codename: 'test-lantern', revoked: true });
    expect(service().good.refresh.size).to.equal(0);
    expect((await run('whoami')).error).to.include({ code: 'token_missing' });
  });

  it('keeps several sign-ins side by side, each with its tokens, by name', async () => {
    await using other = await startSignInService();
    const signIn = (baseUrl: string, ...args: readonly string[]) =>
      warm(home(), ['login', '--device', '--base-url', baseUrl, ...args]);
    expect(await signIn(service().baseUrl, '--service', 'home')).to.include({ exit: 0 });
    expect(await signIn(other.baseUrl, '--service', 'work')).to.include({ exit: 0 });
    const names = async () => (await run('services')).services.map(({ name, base_url }) => [name, base_url]);
    const both = [
      ['work', other.baseUrl],
      ['home', service().baseUrl],
    ];
    expect(await names()).to.deep.equal(both);
    for (const [name, base_url] of [...both, [undefined, other.baseUrl]]) {
      expect(await run('whoami', ...(name === undefined ? [] : ['--service', name]))).to.include({ base_url });
    }
    const variable = await warm(home(), ['whoami'], { UPSILON_SERVICE: 'home' });
    expect(variable.stdout).to.include(service().baseUrl);
    for (const args of [
      ['--service', 'elsewhere'],
      ['--service', 'home', '--base-url', other.baseUrl],
      ['--service', 'No Name'],
    ]) {
      const { error } = await run('whoami', ...args);
      expect([error.exit, error.code], args.join(' ')).to.be.deep.oneOf([
        [2, 'service_unknown'],
        [2, 'settings_invalid'],
      ]);
    }
    // A name belongs to one sign-in, a sign-in keeps its name, and signing out of one leaves the other.
    expect(await warm(home(), ['login', '--device', '--service', 'home'])).to.include({ exit: 0 });
    expect(await signIn(other.baseUrl)).to.include({ exit: 0 });
    expect(await names()).to.deep.equal(both);
    expect(await signIn(other.baseUrl, '--service', 'home')).to.include({ exit: 0 });
    expect(await names()).to.deep.equal([
      ['home', other.baseUrl],
      [null, service().baseUrl],
    ]);
    const [here, there] = [service().good.refresh.size, other.good.refresh.size];
    expect(await run('logout', '--service', 'home')).to.include({ revoked: true });
    expect(await run('whoami')).to.include({ base_url: service().baseUrl });
    expect([service().good.refresh.size, other.good.refresh.size]).to.deep.equal([here, there - 1]);
  });
});
