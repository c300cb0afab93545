import { execFile } from 'node:child_process';
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { packTool } from '../../../cli/pack.mjs';
import { VERSION } from '../../../cli/src/version.ts';
import { compareVersions } from '../../../engine/contract/tool-release.ts';
import { type CliRun, runCli } from '../support/run-cli.ts';
import { makeFolder, useFolder } from '../support/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NEWER = '9.0.0';

const run = promisify(execFile);

describe('upsilon update', function () {
  this.timeout(120_000);
  const home = useFolder();
  let server: Server;
  let site: string;
  let key: KeyObject;
  let folder: string;
  let prefix: string;
  let newer: Buffer;
  /** What the site serves, by path. */
  const served = new Map<
    string,
    { readonly status?: number; readonly body: string | Buffer; readonly location?: string }
  >();
  const asked: string[] = [];

  before(async () => {
    ({ privateKey: key } = generateKeyPairSync('ed25519'));
    server = createServer(({ url = '' }, response) => {
      asked.push(url);
      const { status = 200, body, location } = served.get(url) ?? { status: 404, body: '{"code":"path_unknown"}' };
      response.writeHead(status, {
        'content-type': 'application/json',
        ...(location === undefined ? {} : { location }),
      });
      response.end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    site = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    folder = await makeFolder();
    prefix = join(folder, 'prefix');
    const current = join(folder, 'current.tgz');
    await writeFile(current, await repacked(join(folder, 'current'), VERSION));
    newer = await repacked(join(folder, 'newer'), NEWER);
    await npm('install', '-g', '--offline', '--no-audit', '--no-fund', current);
  });

  after(() => {
    server.closeAllConnections();
    server.close();
    return rm(folder, { recursive: true });
  });

  beforeEach(() => {
    served.clear();
    asked.length = 0;
    offer();
  });

  const npm = (...args: readonly string[]) =>
    run('npm', args, { env: { ...process.env, npm_config_prefix: prefix, HOME: prefix } });

  /** The package of the tool under a version, with the pinned site and key. */
  async function repacked(place: string, version: string): Promise<Buffer> {
    await mkdir(place);
    await writeFile(join(place, 'tool.tgz'), (await packTool(ROOT)).bytes);
    await run('tar', ['-xzf', 'tool.tgz'], { cwd: place });
    const manifest = JSON.parse(await readFile(join(place, 'package/package.json'), 'utf8'));
    await writeFile(join(place, 'package/package.json'), JSON.stringify({ ...manifest, version }));
    const { x } = createPublicKey(key).export({ format: 'jwk' });
    await writeFile(join(place, 'package/release-key.json'), JSON.stringify({ site, key: x }));
    await run('tar', ['-czf', 'repacked.tgz', 'package'], { cwd: place });
    return readFile(join(place, 'repacked.tgz'));
  }

  /** Offers a release of the newer package; members given here replace the right ones after or before it is signed. */
  function offer(after: object = {}, before: object = {}, by = key): void {
    const release = { site, version: NEWER, sha512: createHash('sha512').update(newer).digest('hex'), ...before };
    const statement = `upsilon tool release\n${release.site}\n${release.version}\n${release.sha512}\n`;
    const signature = sign(null, Buffer.from(statement), by).toString('base64url');
    served.set('/cli/release.json', { body: JSON.stringify({ ...release, signature, ...after }) });
    served.set(`/cli/upsilon-${release.version}.tgz`, { body: newer });
  }

  const upsilon = (...args: readonly string[]): Promise<CliRun> =>
    runCli(home(), args, { npm_config_prefix: prefix }, join(prefix, 'bin', 'upsilon'));

  const installed = async (): Promise<string> => {
    const { stdout } = await npm('ls', '-g', '--json');
    return JSON.parse(stdout).dependencies['@upsilon-leaderboard/cli'].version;
  };

  it('refuses what the pinned key did not sign for the pinned site, and asks for nothing then', async () => {
    const { privateKey: other } = generateKeyPairSync('ed25519');
    for (const [what, prepare] of [
      ['another key', () => offer({}, {}, other)],
      ['another digest', () => offer({ sha512: '0'.repeat(128) })],
      ['another version', () => offer({ version: '9.9.9' })],
      ['another site', () => offer({}, { site: 'https://other.example' })],
      ['a site changed', () => offer({ site }, { site: 'https://other.example' })],
      ['a signature of nothing', () => offer({ signature: 'A'.repeat(86) })],
    ] as const) {
      asked.length = 0;
      prepare();
      const refused = await upsilon('update', '--yes');
      expect([refused.exit, refused.stderr.includes('not signed by the release key')], what).to.deep.equal([1, true]);
      expect(asked, what).to.deep.equal(['/cli/release.json']);
    }
    expect(await installed()).to.equal(VERSION);
  });

  it('refuses older versions, other packages, redirects, and what is no release', async () => {
    offer({}, { version: '0.0.9' });
    expect(await upsilon('update', '--yes')).to.include({ exit: 1 });
    expect((await upsilon('update', '--yes')).stderr).to.include('older than this one');
    offer();
    served.set(`/cli/upsilon-${NEWER}.tgz`, { body: Buffer.concat([newer, Buffer.of(0)]) });
    expect((await upsilon('update', '--yes')).stderr).to.include('does not have the digest that was signed');
    for (const path of ['/cli/release.json', `/cli/upsilon-${NEWER}.tgz`]) {
      offer();
      served.set(path, { status: 302, body: '', location: 'https://evil.example/x.tgz' });
      expect(await upsilon('update', '--yes'), path).to.include({ exit: 4 });
    }
    for (const body of ['{}', 'null', '<!doctype html>', JSON.stringify({ version: '9.0' })]) {
      served.set('/cli/release.json', { body });
      expect((await upsilon('update', '--yes')).exit, body).to.equal(4);
    }
    served.clear();
    expect((await upsilon('update', '--yes')).stderr).to.include('offers no release');
    expect(await installed()).to.equal(VERSION);
  });

  it('installs only with consent, into the place that npm has for it, and from the site that was pinned', async () => {
    const unasked = await upsilon('update');
    expect(unasked).to.include({ exit: 2 });
    const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
    const digest = createHash('sha512').update(newer).digest('hex');
    for (const shown of [NEWER, VERSION, site, x, digest]) expect(unasked.stdout).to.include(shown);
    const shown = JSON.parse((await upsilon('update', '--dry-run', '--json', '--yes')).stdout);
    expect(shown).to.deep.equal({ site, key: x, installed: VERSION, version: NEWER, sha512: digest, updated: false });
    expect(asked).to.deep.equal(['/cli/release.json', '/cli/release.json']);
    const copy = await runCli(
      home(),
      ['update', '--yes'],
      { npm_config_prefix: join(home(), 'elsewhere') },
      join(prefix, 'bin', 'upsilon'),
    );
    expect([copy.exit, copy.stderr.includes('npm installs programs in')]).to.deep.equal([2, true]);
    expect(await installed()).to.equal(VERSION);
    const updated = await upsilon('update', '--yes', '--base-url', 'https://other.example/api/v1');
    expect(updated).to.include({ exit: 0 });
    expect(updated.stdout).to.include(`Updated to version ${NEWER}`);
    expect(await installed()).to.equal(NEWER);
    expect((await upsilon('--version')).exit).to.equal(0);
  });

  it('is not possible for a copy without a key', async () => {
    const { exit, stderr } = await runCli(home(), ['update', '--yes']);
    expect([exit, stderr.includes('without a release key')]).to.deep.equal([1, true]);
    expect(asked).to.deep.equal([]);
  });

  it('compares versions by their numbers', () => {
    const inOrder = ['0.1.0', '0.1.9', '0.1.10', '0.2.0', '1.0.0', '10.0.0'];
    for (const [index, version] of inOrder.entries()) {
      for (const [place, other] of inOrder.entries()) {
        expect(Math.sign(compareVersions(version, other)), `${version} ${other}`).to.equal(Math.sign(index - place));
      }
    }
    for (const odd of ['1.0', '1.0.0-beta', '1.0.0.0', '', '-1.0.0']) expect(compareVersions(odd, '1.0.0')).to.be.NaN;
  });
});
