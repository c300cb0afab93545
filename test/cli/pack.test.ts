import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { buildTool } from '../../cli/build.mjs';
import { addSite, packTool } from '../../cli/pack.mjs';
import { VERSION } from '../../cli/src/version.ts';
import { copyRepository } from './support/repository-copy.ts';
import { useFolder } from './support/temporary-folder.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The package may take up this much when unpacked, in bytes: most of it is SQLite. */
const MAX_BYTES = 3 * 2 ** 20;

const BASE_URL = 'https://board.example/api/v1';

/** What every run loads may take up this much, in bytes: most of it is commander. */
const MAX_START_BYTES = 60 * 2 ** 10;

describe('the package', () => {
  const folder = useFolder();

  it('has the same bytes each time it is built', async () => {
    const [one, other] = [await buildTool(ROOT), await buildTool(ROOT)];
    expect([...other.keys()]).to.deep.equal([...one.keys()]);
    for (const [name, contents] of one) expect(Buffer.compare(contents, other.get(name)!), name).to.equal(0);
  });

  it('has the same bytes from any clone', async () => {
    const clone = join(folder(), 'a clone in another folder');
    await copyRepository(clone);
    const [here, there] = [await packTool(ROOT), await packTool(clone)];
    expect(there.path).to.include(clone);
    expect(Buffer.compare(there.bytes, here.bytes)).to.equal(0);
  });

  it('loads no command before it is known which one runs: most of the time of --help would be their loading', async () => {
    const files = await buildTool(ROOT);
    const loaded = new Set(['main.js']);
    for (const name of loaded) {
      const code = Buffer.from(files.get(name)!).toString();
      for (const [, file] of code.matchAll(/(?:from|import)"(\.[^"]+)"/g))
        loaded.add(posix.join(posix.dirname(name), file!));
    }
    const bytes = [...loaded].reduce((sum, name) => sum + files.get(name)!.length, 0);
    expect(bytes).to.be.within(MAX_START_BYTES / 2, MAX_START_BYTES);
  });

  it('is small, needs nothing else, and runs from an empty folder without the network', async () => {
    const packed = await packTool(ROOT);
    const bytes = addSite(packed.bytes, BASE_URL);
    expect(Buffer.compare(addSite(packed.bytes, BASE_URL), bytes)).to.equal(0);
    expect(bytes.length).to.be.lessThan(MAX_BYTES);
    await writeFile(join(folder(), 'tool.tgz'), bytes);
    const listing = await run('tar', ['-tzf', 'tool.tgz'], { cwd: folder() });
    const paths = listing.stdout
      .trim()
      .split('\n')
      .map((path) => path.replace('package/', ''));
    expect(paths).to.include.members(['README.md', 'dist/main.js', 'dist/scan-worker.js', 'dist/LICENSES.txt']);
    expect(paths.filter((path) => !/^(dist\/|README\.md$|package\.json$)/.test(path))).to.deep.equal([]);
    const { stdout: site } = await run('tar', ['-xzOf', 'tool.tgz', 'package/dist/site.json'], { cwd: folder() });
    expect(site).to.equal(`{"base_url":"${BASE_URL}"}\n`);
    const { stdout: licences } = await run('tar', ['-xzOf', 'tool.tgz', 'package/dist/LICENSES.txt'], {
      cwd: folder(),
    });
    for (const name of ['upsilon', 'commander', 'node-sqlite3-wasm', 'zod', '@modelcontextprotocol/server']) {
      expect(licences).to.include(`${name}\n\n`);
    }
    await writeFile(join(folder(), 'package.json'), '{"private":true}');
    const options = { cwd: folder(), env: { ...process.env, HOME: folder(), UPSILON_KEYCHAIN: 'off' } };
    const install = ['install', '--offline', '--no-audit', '--no-fund', './tool.tgz'];
    await run('npm', install, options);
    const npx = (...args: readonly string[]) => run('npx', ['--offline', 'upsilon', ...args], options);
    expect((await npx('--help')).stdout).to.include('Usage: upsilon');
    expect(JSON.parse((await npx('sources', '--json')).stdout)).to.include({ version: VERSION });
    expect(JSON.parse((await npx('service', '--json')).stdout)).to.include({ base_url: BASE_URL });
    const listed = await run('npm', ['ls', '--all', '--parseable'], options);
    expect(listed.stdout.trim().split('\n')).to.have.length(2);
  });
});
