import { execFile } from 'node:child_process';
import { chmod, chown, cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { builtCli } from '../support/built-cli.ts';
import { assistantLine, writeLog } from '../support/log-lines.ts';
import {
  acceptAll,
  type RecordedRequest,
  type RecordingService,
  type Reply,
  startService,
} from '../support/recording-service.ts';
import { type CliRun, runCli } from '../support/run-cli.ts';
import { useFolder } from '../support/temporary-folder.ts';

const TOKEN = `ups_${'A'.repeat(60)}`;
const NOBODY = 65_534;

/** A stand-in for the program that makes systemd take units: it writes down how it was called. */
const SYSTEMCTL = '#!/bin/sh\necho "$@" >> "$HOME/../systemctl.log"\n[ ! -e "$HOME/../no-systemd" ]\n';

interface Unit {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The quoted words of a line of a unit. */
function systemdWords(line: string): readonly string[] {
  return Array.from(line.matchAll(/"((?:[^"\\]|\\.)*)"/g), ([, word = '']) =>
    word.replaceAll(/\\(.)/g, '$1').replaceAll('%%', '%').replaceAll('$$', '$'),
  );
}

function isSubmission({ path }: RecordedRequest): boolean {
  return path.endsWith('/snapshots');
}

describe('upsilon service', () => {
  const folder = useFolder();
  const home = () => join(folder(), 'home');
  const state = () => join(home(), '.config', 'upsilon');
  const units = () => join(home(), '.config', 'systemd', 'user');
  const asked = async () => (await readFile(join(folder(), 'systemctl.log'), 'utf8')).trim().split('\n');
  let service: RecordingService;
  let reply: () => Reply | null;
  let rank = 3;

  beforeEach(async () => {
    reply = () => null;
    service = await startService((request) => {
      const given = reply();
      if (given !== null) return given;
      if (request.path.endsWith('/operators/test-lantern')) return { status: 200, body: { rank } };
      return request.path.includes('/snapshots/')
        ? { status: 404, body: { code: 'snapshot_unknown' } }
        : acceptAll()(request);
    });
    await mkdir(join(folder(), 'bin'));
    await writeFile(join(folder(), 'bin', 'systemctl'), SYSTEMCTL, { mode: 0o755 });
    await writeLog(home(), 'logs of Claude/projects/p/one.jsonl', [assistantLine({ id: 'a', request: 'r' })]);
  });
  afterEach(() => service[Symbol.asyncDispose]());

  const upsilon = (...args: readonly string[]): Promise<CliRun> =>
    runCli(home(), args, {
      PATH: `${join(folder(), 'bin')}:${process.env['PATH'] ?? ''}`,
      CLAUDE_CONFIG_DIR: join(home(), 'logs of Claude'),
    });
  const signIn = (...args: readonly string[]) =>
    runCli(home(), ['login', '--base-url', service.baseUrl, ...args], {
      UPSILON_TOKEN: TOKEN,
      UPSILON_CODENAME: 'test-lantern',
    });

  /** What systemd would run: the words of ExecStart, and the variables. */
  async function readUnit(name: string): Promise<Unit> {
    const text = await readFile(join(units(), `${name}.service`), 'utf8');
    const lines = (key: string) =>
      Array.from(text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm')), ([, value = '']) => value);
    const variables = lines('Environment').flatMap(systemdWords);
    const env = Object.fromEntries(variables.map((each) => [each.split('=', 1)[0], each.replace(/^[^=]*=/, '')]));
    return { command: systemdWords(lines('ExecStart')[0] ?? ''), env };
  }

  it('is installed for a sign-in, shown, and removed with everything it wrote', async () => {
    expect(await upsilon('service', 'install')).to.include({ exit: 3 });
    expect(await upsilon('service', 'install', '--dry-run')).to.deep.include({
      exit: 0,
      stderr:
        'Note: Installing it takes a sign-in. Sign in with: upsilon login --base-url http://localhost:3000/api/v1\n',
    });
    expect((await upsilon('service')).stdout).to.equal(
      `upsilon, for http://localhost:3000/api/v1: not installed.\nInstall it: upsilon service install\n`,
    );
    expect(await signIn()).to.include({ exit: 0, stderr: '' });
    const before = await readdir(home(), { recursive: true });
    const shown = await upsilon('service', 'install', '--dry-run', '--hook', 'claude-code');
    expect(shown.stderr).to.equal('');
    expect(shown.stdout).to.include('ExecStart=').and.include('OnCalendar=').and.include('"command":');
    expect(await readdir(home(), { recursive: true })).to.deep.equal(before);
    const installed = JSON.parse((await upsilon('service', 'install', '--json')).stdout);
    expect(installed).to.deep.include({ id: 'upsilon', installed: true, hooks: [] });
    expect(await asked()).to.deep.equal(['--user daemon-reload', '--user enable --now upsilon.timer']);
    const { second } = installed;
    const at = `${String(Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}`;
    expect(await readFile(join(units(), 'upsilon.timer'), 'utf8')).to.include(`OnCalendar=*-*-* *:${at}\n`);
    const { command, env } = await readUnit('upsilon');
    const words = ['service', 'run', '--base-url', service.baseUrl, '--config-dir', state()];
    expect(command).to.deep.equal([process.execPath, await builtCli(), ...words]);
    expect(env).to.deep.equal({ CLAUDE_CONFIG_DIR: join(home(), 'logs of Claude'), UPSILON_KEYCHAIN: 'off' });
    const status = JSON.parse((await upsilon('service', '--json')).stdout);
    expect(status).to.include({ id: 'upsilon', installed: true, active: true });
    expect(await upsilon('service', 'uninstall')).to.include({ exit: 0, stdout: 'Removed: upsilon.\n' });
    expect((await asked()).at(-1)).to.equal('--user disable --now upsilon.timer');
    expect(await readdir(units())).to.deep.equal([]);
    expect((await upsilon('service', 'uninstall')).stdout).to.equal('Not installed: upsilon.\n');
    const everything = await readdir(folder(), { recursive: true });
    for (const name of everything.filter(
      (each) => /\.(json|service|timer|log)$/.test(each) && !each.endsWith('secrets.json'),
    ))
      expect(await readFile(join(folder(), name), 'utf8'), name).to.not.include(TOKEN.slice(8));
  });

  it('has a unit for each name', async () => {
    await signIn('--service', 'work');
    for (const args of [[], ['--service', 'work']]) {
      expect(JSON.parse((await upsilon('service', 'install', '--json', ...args)).stdout)).to.include({
        id: 'upsilon-work',
      });
    }
    await upsilon('logout');
    expect((await upsilon('service', 'uninstall', '--service', 'work')).stdout).to.equal('Removed: upsilon-work.\n');
  });

  it('installs hooks only after consent, and removes them', async () => {
    await signIn();
    const file = join(home(), 'logs of Claude', 'settings.json');
    const refused = await upsilon('service', 'install', '--hook', 'claude-code');
    expect(refused).to.include({ exit: 2 });
    expect(refused.stdout).to.include(file).and.include('--detach');
    expect(await stat(file).catch(() => null)).to.equal(null);
    expect(await readdir(join(home(), '.config'))).to.deep.equal(['upsilon']);
    expect(await upsilon('service', 'install', '--hook', 'claude-code', '--yes')).to.include({ exit: 0 });
    const { hooks } = JSON.parse(await readFile(file, 'utf8'));
    const [{ command }] = hooks.SessionEnd[0].hooks;
    // As the tool has them.
    const env = { HOME: home(), CLAUDE_CONFIG_DIR: join(home(), 'logs of Claude'), UPSILON_KEYCHAIN: 'off' };
    await promisify(execFile)('sh', ['-c', command], { env });
    await eventually('the submission of what the hook started', () => service.requests.some(isSubmission));
    expect(await upsilon('service', 'install', '--hook', 'vim', '--yes')).to.include({ exit: 2 });
    await upsilon('service', 'uninstall');
    expect(JSON.parse(await readFile(file, 'utf8'))).to.deep.equal({});
  });

  it('leaves nothing behind where systemd does not take it, and shows what cron would take', async () => {
    await signIn();
    await writeFile(join(folder(), 'no-systemd'), '');
    const failed = await upsilon('service', 'install');
    expect(failed).to.include({ exit: 8 });
    expect(failed.stderr).to.match(/\d+ \* \* \* \* .*\bUPSILON_KEYCHAIN=off \S+ \S+main.js service run /);
    expect(await readdir(units())).to.deep.equal([]);
  });

  it('reports changes by a notification and to a program, and refuses what cannot run', async () => {
    await signIn();
    const install = (...args: readonly string[]) => upsilon('service', 'install', ...args);
    const missing = await install('--notify');
    expect(missing).to.include({ exit: 2 });
    expect(missing.stderr).to.include('no notification can be shown here: notify-send: no such file or folder');
    expect((await install('--on-change', join(folder(), 'none'))).stderr).to.include('no such file or folder');
    expect((await install('--', 'x')).stderr).to.include('only --on-change takes arguments');
    expect(await readdir(join(home(), '.config'))).to.deep.equal(['upsilon']);
    const shown = join(folder(), 'shown');
    const got = join(folder(), 'got');
    const collect = join(folder(), 'collect');
    const toast = `#!/bin/sh\nprintf '%s|' "$@" >> '${shown}'\n`;
    await writeFile(join(folder(), 'bin', 'notify-send'), toast, { mode: 0o755 });
    await writeFile(collect, '#!/bin/sh\ncat >> "$2"\n', { mode: 0o755 });
    const installed = await install('--notify', '--on-change', collect, '--', '--json', got);
    expect(installed).to.include({ exit: 0, stderr: '' });
    expect((await upsilon('service')).stdout).to.include(
      `Changes of rank and tier go to notifications and ${collect} --json ${got}.`,
    );
    expect((await readUnit('upsilon')).command).to.not.include('--json');
    for (const place of [4, 3]) {
      rank = place;
      const records = join(state(), 'service-runs.json');
      await rm(records, { force: true });
      expect(await upsilon('service', 'run', '--base-url', service.baseUrl)).to.deep.equal({
        exit: 0,
        stdout: '',
        stderr: '',
      });
    }
    expect(JSON.parse(await readFile(got, 'utf8'))).to.deep.include({ rank: 3, passed_by: [], change: null });
    const texts = (await readFile(shown, 'utf8')).split('|').slice(-3, -1);
    expect(texts).to.deep.equal(['test-lantern: rank 3', 'Before: rank 4.']);
    const said = async () => [(await upsilon('service')).stderr, (await upsilon('status')).stderr];
    expect(await said()).to.deep.equal(['', '']);
    await writeFile(collect, '#!/bin/sh\nexit 3\n');
    rank = 9;
    await rm(join(state(), 'service-runs.json'));
    await upsilon('service', 'run', '--base-url', service.baseUrl);
    for (const text of await said())
      expect(text).to.include(`Note: your last change of rank was not reported: ${collect}: it ended with 3 (`);
    await upsilon('service', 'uninstall');
    expect(await readFile(join(state(), 'service-changes.json'), 'utf8')).to.not.include('collect');
  });

  it('refuses to install what npx keeps for a while', async () => {
    await signIn();
    const run = await runCli(home(), ['service', 'install'], { npm_lifecycle_event: 'npx' });
    // Without npx's folder the tool takes itself for installed.
    expect(run.exit).to.equal(8);
    const npx = join(folder(), 'npx/node_modules/@scope/cli/dist');
    await cp(dirname(await builtCli()), npx, { recursive: true });
    await writeFile(
      join(folder(), 'npx/package.json'),
      '{"dependencies":{"@scope/cli":"https://board.example/cli/u.tgz"}}',
    );
    const refused = await runCli(home(), ['service', 'install'], { npm_lifecycle_event: 'npx' }, join(npx, 'main.js'));
    expect(refused).to.include({ exit: 2 });
    expect(refused.stderr)
      .to.include('npm install -g --allow-remote=root https://board.example/cli/u.tgz')
      .and.include('Then run "upsilon service install"');
  });

  it('runs with nothing but its unit, as a user who can write only its state, through failures and successes', async () => {
    await signIn();
    await upsilon('service', 'install');
    const { command, env } = await readUnit('upsilon');
    const program = join(folder(), 'program');
    await cp(dirname(await builtCli()), program, { recursive: true });
    const runs = [process.execPath, join(program, 'main.js'), ...command.slice(2)];
    const isRoot = process.getuid?.() === 0;
    for (const path of [folder(), home(), join(home(), '.config')]) await chmod(path, 0o555);
    if (isRoot) for (const name of ['', ...(await readdir(state()))]) await chown(join(state(), name), NOBODY, NOBODY);
    const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    const run = async (): Promise<CliRun> => {
      const [file = '', ...args] = runs;
      const done = promisify(execFile)(file, args, { env, cwd: '/', ...user });
      return done.then(
        ({ stdout, stderr }) => ({ exit: 0, stdout, stderr }),
        (error: CliRun & { readonly code: number }) => ({
          exit: error.code,
          stdout: error.stdout,
          stderr: error.stderr,
        }),
      );
    };
    const records = join(state(), 'service-runs.json');
    const record = async () => JSON.parse(await readFile(records, 'utf8')).runs[0];
    const passTime = async () => {
      const { runs: kept } = JSON.parse(await readFile(records, 'utf8'));
      const earlier = kept.map((each: object) => ({ ...each, next_at: 0, succeeded_at: 0 }));
      await writeFile(records, JSON.stringify({ version: 1, runs: earlier }));
    };
    const SILENT = { exit: 0, stdout: '', stderr: '' };
    try {
      reply = () => ({ status: 503, headers: { 'retry-after': '3600' }, body: { code: 'storage_unavailable' } });
      expect(await run()).to.deep.equal(SILENT);
      expect(await record()).to.include({ failures: 1 });
      const requests = service.requests.length;
      reply = () => null;
      expect(await run()).to.deep.equal(SILENT);
      expect(service.requests, 'no request while it backs off').to.have.length(requests);
      await passTime();
      expect(await run()).to.deep.equal(SILENT);
      expect(await record()).to.include({ failures: 0, problem: null });
      expect(
        service.requests.filter(({ path }) => path.endsWith('/snapshots')),
        'submitted',
      ).to.not.deep.equal([]);
      await passTime();
      reply = () => ({ status: 401, body: { code: 'token_invalid', detail: 'The automation token is revoked.' } });
      const ended = await run();
      expect(ended).to.include({ exit: 3, stdout: '' });
      expect(ended.stderr).to.include('The automation token is revoked.').and.not.include(TOKEN.slice(8));
      expect(await readdir(join(home(), '.config'))).to.have.members(['systemd', 'upsilon']);
    } finally {
      for (const path of [folder(), home(), join(home(), '.config')]) await chmod(path, 0o755);
    }
  });
});
