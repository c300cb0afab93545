import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { useFolder } from './support/temporary-folder.ts';

const run = promisify(execFile);
const PACKAGE = fileURLToPath(new URL('../../cli', import.meta.url));

/** The package may take up this much when unpacked, in bytes: most of it is SQLite. */
const MAX_BYTES = 3 * 2 ** 20;

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: ReadonlyArray<{ readonly path: string }>;
}

describe('the package', function () {
  // It is built, packed and installed.
  this.timeout(60_000);
  const folder = useFolder();

  it('is small, needs nothing else, and runs from an empty folder without the network', async () => {
    const { stdout } = await run('npm', ['pack', '--ignore-scripts=false', '--json', '--pack-destination', folder()], {
      cwd: PACKAGE,
    });
    const [packed]: readonly Packed[] = JSON.parse(stdout.slice(stdout.indexOf('[')));
    expect(packed!.unpackedSize).to.be.lessThan(MAX_BYTES);
    const paths = packed!.files.map(({ path }) => path);
    expect(paths).to.include.members(['README.md', 'dist/main.js', 'dist/scan-worker.js', 'dist/LICENSES.txt']);
    expect(paths.filter((path) => !/^(dist\/|README\.md$|package\.json$)/.test(path))).to.deep.equal([]);
    const licences = await readFile(join(PACKAGE, 'dist/LICENSES.txt'), 'utf8');
    for (const name of ['upsilon', 'commander', 'node-sqlite3-wasm', 'zod', '@modelcontextprotocol/server']) {
      expect(licences).to.include(`${name}\n\n`);
    }
    await writeFile(join(folder(), 'package.json'), '{"private":true}');
    const options = { cwd: folder(), env: { ...process.env, HOME: folder(), UPSILON_KEYCHAIN: 'off' } };
    const install = ['install', '--offline', '--omit=optional', '--no-audit', '--no-fund', `./${packed!.filename}`];
    await run('npm', install, options);
    const npx = (...args: readonly string[]) => run('npx', ['--offline', 'upsilon', ...args], options);
    expect((await npx('--help')).stdout).to.include('Usage: upsilon');
    expect(JSON.parse((await npx('--dry-run', '--json')).stdout)).to.include({ mode: 'dry-run' });
    const listed = await run('npm', ['ls', '--all', '--parseable'], options);
    expect(listed.stdout.trim().split('\n')).to.have.length(2);
  });
});
