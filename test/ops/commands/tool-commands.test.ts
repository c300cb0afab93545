import { createHash, createPublicKey, verify } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createTool } from '../../../api/site/tool.ts';
import { packTool } from '../../../cli/pack.mjs';
import { VERSION } from '../../../cli/src/version.ts';
import { releaseStatement } from '../../../engine/contract/tool-release.ts';
import { runCommands } from '../../../ops/commands/run-commands.ts';
import { copyRepository } from '../../cli/support/repository-copy.ts';

const SITE = 'https://board.example';

describe('releases of the command-line tool', () => {
  let folder: string;
  let root: string;
  let key: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'upsilon-release-'));
    root = join(folder, 'clone');
    key = join(folder, 'release-key.pem');
    await copyRepository(root);
  });

  after(() => rm(folder, { recursive: true, force: true }));

  async function tool(...args: readonly string[]) {
    let out = '';
    let err = '';
    const status = await runCommands(['tool', ...args, '--root', root], {
      environment: {},
      clock: Date.now,
      queuePrefix: 'none',
      print: (text) => void (out += text),
      printError: (text) => void (err += text),
    });
    return { status, out, err };
  }

  const read = async (name: string): Promise<Record<string, string>> =>
    JSON.parse(await readFile(join(root, 'cli', name), 'utf8'));

  it('are signed by a key of which the package has the public half, and need no service', async () => {
    expect(await tool('sign', '--key', key)).to.include({ status: 1 });
    expect((await tool('key', '--key', key, '--site', `${SITE}/path`)).err).to.include('not the address of a site');
    const made = await tool('key', '--key', key, '--site', SITE, '--json');
    expect(made.status).to.equal(0);
    expect(JSON.parse(made.out)).to.deep.equal(await read('release-key.json'));
    expect((await stat(key)).mode & 0o777).to.equal(0o600);
    expect((await tool('key', '--key', key, '--site', SITE)).err).to.include('cannot be created');
    expect((await tool('sign', '--key', key)).out).to.include(`Signed: version ${VERSION} for ${SITE}`);
    const { signature = '', ...release } = await read('release.json');
    const { path, bytes } = await packTool(root);
    expect(path).to.include(root);
    expect(bytes.includes(await readFile(join(root, 'cli/release-key.json')))).to.equal(true);
    const sha512 = createHash('sha512').update(bytes).digest('hex');
    expect(release).to.deep.equal({ site: SITE, version: VERSION, sha512 });
    const { key: x = '' } = await read('release-key.json');
    const statement = Buffer.from(`upsilon tool release\n${SITE}\n${VERSION}\n${sha512}\n`);
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    expect(verify(null, statement, publicKey, Buffer.from(signature, 'base64url'))).to.equal(true);
    expect(`${made.out}${JSON.stringify(release)}`).to.not.include('PRIVATE');
  });

  it('are signed by no other key', async () => {
    const other = join(folder, 'other.pem');
    const before = await readFile(join(root, 'cli/release-key.json'));
    await tool('key', '--key', other, '--site', SITE);
    await writeFile(join(root, 'cli/release-key.json'), before);
    const { status, err } = await tool('sign', '--key', other);
    expect([status, err.includes('is not the key in cli/release-key.json')]).to.deep.equal([1, true]);
  });

  it('replace the key once the former one has signed a package with the next', async () => {
    const { key: former = '' } = await read('release-key.json');
    await tool('key', '--key', join(folder, 'next.pem'), '--site', SITE);
    expect((await tool('sign', '--key', key)).status).to.equal(1);
    expect((await tool('sign', '--key', key, '--replaces-key')).status).to.equal(0);
    const { signature = '', sha512 = '' } = await read('release.json');
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: former }, format: 'jwk' });
    const statement = releaseStatement({ site: SITE, version: VERSION, sha512 });
    expect(verify(null, statement, publicKey, Buffer.from(signature, 'base64url'))).to.equal(true);
    const { bytes } = await packTool(root);
    expect(bytes.includes(await readFile(join(root, 'cli/release-key.json')))).to.equal(true);
    expect((await read('release-key.json'))['key']).to.not.equal(former);
  });

  it('are offered beside the package that they are of, and no other', async () => {
    const offered = createHash('sha512')
      .update((await packTool(process.cwd())).bytes)
      .digest('hex');
    const release = { site: SITE, version: VERSION, sha512: offered, signature: 'A'.repeat(86) };
    const file = join(folder, 'release.json');
    for (const [content, isOffered] of [
      [release, true],
      [{ ...release, sha512: '0'.repeat(128) }, false],
      [{ ...release, version: '9.9.9' }, false],
      [{ ...release, signature: 'short' }, false],
      ['none', false],
    ] as const) {
      await writeFile(file, JSON.stringify(content));
      expect((await createTool(file)()).release, JSON.stringify(content)).to.deep.equal(isOffered ? release : null);
    }
    expect((await createTool(join(folder, 'missing.json'))()).release).to.equal(null);
  });
});
