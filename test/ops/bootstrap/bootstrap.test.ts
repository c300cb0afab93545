import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { processEnvironment } from '../../../config/env.ts';
import { eventually } from '../../support/eventually.ts';
import { useFolder } from '../../support/temporary-folder.ts';

const OPS = fileURLToPath(new URL('../../../ops', import.meta.url));
const PACKAGES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** Replacement for npm: records its arguments and writes npm's note of the installed packages. */
const NPM = `
const fs = require('node:fs');
fs.appendFileSync('npm-calls', process.argv.slice(2).join(' ') + '\\n');
console.log('npm speaks');
if (fs.existsSync('npm-hangs')) {
  // Neither npm nor the child that it started ends by itself.
  const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  fs.writeFileSync('npm-pids', process.pid + ' ' + child.pid);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
if (fs.existsSync('npm-fails')) process.exit(9);
const lock = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));
const all = process.argv.includes('--include=dev');
const chosen = (set) => all || process.argv.includes('--workspace=ops/packages/' + set);
const there = Object.entries(lock.packages).filter(
  ([path, entry]) => path !== '' && (all || !entry.dev) && (!path.endsWith('/viem') || chosen('x402')),
);
fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(there) }));
`;

describe('the bootstrap', () => {
  const root = useFolder();
  const calls = async () =>
    (await readFile(join(root(), 'npm-calls'), 'utf8').catch(() => '')).split('\n').filter(Boolean);

  /** A small project: the real bootstrap, a command that prints, tsx, and a lockfile. */
  beforeEach(async () => {
    await mkdir(join(root(), 'ops/commands'), { recursive: true });
    await cp(join(OPS, 'bootstrap.mjs'), join(root(), 'ops/bootstrap.mjs'));
    await cp(join(OPS, 'bootstrap'), join(root(), 'ops/bootstrap'), { recursive: true });
    await writeFile(
      join(root(), 'ops/commands/main.ts'),
      'const [, , status]: string[] = process.argv;\nconsole.log(`ran ${status}`);\nprocess.exitCode = Number(status);\n',
    );
    await writeFile(join(root(), 'package.json'), '{}');
    await writeFile(join(root(), 'npm-cli.js'), NPM);
    await lockfile('1.0.0');
    await mkdir(join(root(), 'node_modules'));
    await symlink(join(PACKAGES, 'tsx'), join(root(), 'node_modules/tsx'));
  });

  async function lockfile(version: string): Promise<void> {
    const packages = {
      '': {},
      'node_modules/needed': { version },
      'node_modules/for-tests': { version: '1.0.0', dev: true },
      'ops/packages/x402': { dependencies: { viem: '1.0.0' } },
      'node_modules/viem': { version: '1.0.0' },
      'node_modules/for-another-system': { version: '1.0.0', optional: true },
    };
    await writeFile(join(root(), 'package-lock.json'), JSON.stringify({ packages }));
  }

  it('installs what any script of the project needs', async () => {
    const manifest: { scripts: Record<string, string> } = JSON.parse(
      await readFile(join(OPS, '../package.json'), 'utf8'),
    );
    const others = Object.entries(manifest.scripts).filter(
      ([, script]) => !script.startsWith('node ops/bootstrap.mjs '),
    );
    // These install packages themselves, or run another script first.
    expect(others.map(([name]) => name)).to.deep.equal(['tools', 'conformance', 'check']);
  });

  interface Ended {
    readonly status: number | null;
    readonly out: string;
    readonly err: string;
  }

  function run(...args: string[]): Promise<Ended> {
    return start(...args).ended;
  }

  function start(...args: string[]) {
    return startWith({}, ...args);
  }

  function startWith(
    settings: Readonly<Record<string, string>>,
    ...args: string[]
  ): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
    const { npm_lifecycle_event: _event, ...environment } = processEnvironment();
    const env = { ...environment, npm_execpath: join(root(), 'npm-cli.js'), ...settings };
    const child = spawn(process.execPath, [join(root(), 'ops/bootstrap.mjs'), ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    const ended = new Promise<Ended>((resolve) => child.once('close', (status) => resolve({ status, out, err })));
    return { child, ended };
  }

  it('installs the production packages once and reports it on standard error only', async () => {
    const first = await run('ops', '0');
    expect(first).to.include({ status: 0, out: 'ran 0\n' });
    expect(first.err).to.contain('Installing the production packages').and.to.contain('npm speaks');
    expect(await run('ops', '0')).to.deep.equal({ status: 0, out: 'ran 0\n', err: '' });
    expect(await calls())
      .to.have.length(1)
      .and.to.have.nested.property('[0]')
      .that.contains('ci --omit=dev');
  });

  it('adds the packages of a setting when it is first set, and keeps them', async () => {
    const on = { X402_PAY_TO: '0x1' };
    await run('ops', '0');
    expect((await startWith({ X402_PAY_TO: '' }, 'ops', '0').ended).err).to.equal('');
    const added = await startWith(on, 'ops', '0').ended;
    expect(added).to.include({ status: 0, out: 'ran 0\n' });
    expect(added.err).to.contain('Installing the packages for payments by x402');
    expect((await startWith(on, 'ops', '0').ended).err).to.equal('');
    await run('ops', '0');
    const [first = '', second = '', ...more] = await calls();
    expect(first).to.not.contain('x402');
    expect(second).to.match(/^install --no-save --omit=dev .*--workspace=ops\/packages\/x402 /);
    expect(more).to.deep.equal([]);
  });

  it('adds the development packages and never removes them', async () => {
    await run('ops', '0');
    await run('install');
    await run('ops', '0');
    await run('install');
    expect(await calls())
      .to.have.length(2)
      .and.to.have.nested.property('[1]')
      .that.contains('ci --include=dev');
  });

  it('installs again when the lockfile has other packages, and not when only its formatting changes', async () => {
    await run('ops', '0');
    await writeFile(
      join(root(), 'package-lock.json'),
      `${await readFile(join(root(), 'package-lock.json'), 'utf8')}\n`,
    );
    await run('ops', '0');
    expect(await calls()).to.have.length(1);
    await lockfile('1.0.1');
    await run('ops', '0');
    expect(await calls()).to.have.length(2);
  });

  it('stops npm and its children with itself, and installs again at the next start', async () => {
    await writeFile(join(root(), 'npm-hangs'), '');
    const { child, ended } = start('ops', '0');
    const pids = await eventually('npm', async () => readFile(join(root(), 'npm-pids'), 'utf8').catch(() => null));
    child.kill('SIGINT');
    expect(await ended).to.include({ status: 130, out: '' });
    for (const pid of pids.split(' ')) await eventually(`the end of ${pid}`, () => !isRunning(Number(pid)));
    await rm(join(root(), 'npm-hangs'));
    const next = await run('ops', '0');
    expect(next).to.include({ status: 0, out: 'ran 0\n' });
    expect(next.err).to.not.include('Another process');
  });

  it('waits for the npm of an installation that was killed', async () => {
    await mkdir(join(root(), '.data'));
    const npm = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await writeFile(join(root(), '.data/install.lock'), `999999999 ${npm.pid}`);
    const { child, ended } = start('ops', '0');
    let waits = false;
    child.stderr?.on('data', (text: string) => (waits ||= text.includes('waiting for it')));
    await eventually('waiting', () => waits);
    expect(await calls()).to.deep.equal([]);
    npm.kill('SIGKILL');
    expect(await ended).to.include({ status: 0, out: 'ran 0\n' });
  });

  it('exits with the status of its program', async () => {
    expect((await run('ops', '7')).status).to.equal(7);
  });

  it('reports what failed', async () => {
    expect(await run('nonsense')).to.include({ status: 2, out: '' });
    expect((await run('api')).err).to.contain('api/main.ts does not exist');
    await rm(join(root(), 'node_modules/.package-lock.json'));
    await writeFile(join(root(), 'npm-fails'), '');
    const failed = await run('ops', '0');
    expect(failed).to.include({ status: 1, out: '' });
    expect(failed.err).to.contain('npm ci failed with status 9');
  });
});

/** A process that ended but was not collected by its parent is not running. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
