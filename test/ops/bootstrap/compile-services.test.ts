import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NOTE = 'node_modules/.cache/upsilon-services/compiled.json';
const run = promisify(execFile);

const program = (name: string): string =>
  `import { word } from '../shared.ts';\nconsole.log('${name}', word, import.meta.url, process.argv[1]);\n`;

/** A service whose programs print their location and a shared value. */
async function smallService(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'upsilon-compile-'));
  await Promise.all(
    ['api', 'workers', 'ops/bootstrap', 'node_modules'].map((each) => mkdir(join(root, each), { recursive: true })),
  );
  for (const file of ['compile-services.mjs', 'service.mjs'])
    await cp(join(ROOT, 'ops/bootstrap', file), join(root, 'ops/bootstrap', file));
  for (const name of ['esbuild', 'tsx', '@esbuild', 'get-tsconfig', 'resolve-pkg-maps'])
    await symlink(join(ROOT, 'node_modules', name), join(root, 'node_modules', name)).catch(() => undefined);
  await writeFile(join(root, 'package.json'), '{"type":"module"}');
  await writeFile(join(root, 'shared.ts'), 'export const word: string = "first";\n');
  await writeFile(join(root, 'api/main.ts'), program('api'));
  await writeFile(join(root, 'workers/main.ts'), program('worker'));
  return root;
}

async function outputOf(root: string, role: string): Promise<string[]> {
  const { stdout } = await run(process.execPath, [join(root, 'ops/bootstrap/service.mjs'), role]);
  return stdout.trim().split(' ');
}

const folderNow = async (root: string): Promise<string> => readFile(join(root, NOTE), 'utf8');

describe('the compiled service', () => {
  let root = '';

  beforeEach(async () => {
    root = await smallService();
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  it('runs each program with the URL of its source', async () => {
    expect((await outputOf(root, 'api')).slice(0, 3)).to.deep.equal([
      'api',
      'first',
      pathToFileURL(join(root, 'api/main.ts')).href,
    ]);
    expect((await outputOf(root, 'worker')).slice(0, 2)).to.deep.equal(['worker', 'first']);
  });

  it('is compiled once for the same sources, and again when one of them changes', async () => {
    await outputOf(root, 'api');
    const first = await folderNow(root);
    await outputOf(root, 'worker');
    expect(await folderNow(root)).to.equal(first);
    await writeFile(join(root, 'shared.ts'), 'export const word: string = "second word".slice(0, 6);\n');
    expect((await outputOf(root, 'worker')).slice(0, 2)).to.deep.equal(['worker', 'second']);
    expect(await folderNow(root)).not.to.equal(first);
  });

  it('is reused when only the modification times of its sources differ, as in an image', async () => {
    await outputOf(root, 'api');
    const first = await folderNow(root);
    await utimes(join(root, 'shared.ts'), 1_000, 1_000);
    expect((await outputOf(root, 'api')).slice(0, 2)).to.deep.equal(['api', 'first']);
    expect(await folderNow(root)).to.equal(first);
  });

  it('is compiled again after the project was moved', async () => {
    await outputOf(root, 'api');
    const moved = `${root}-moved`;
    await rename(root, moved);
    root = moved;
    expect((await outputOf(root, 'api'))[2]).to.equal(pathToFileURL(join(root, 'api/main.ts')).href);
  });

  it('runs from its sources when node_modules is not writable', async () => {
    // A file in place of the folder makes writing fail for every user, including root.
    await writeFile(join(root, 'node_modules/.cache'), '');
    expect((await outputOf(root, 'api')).slice(0, 2)).to.deep.equal(['api', 'first']);
  });

  it('prints its usage', async () => {
    const failed: unknown = await outputOf(root, 'nothing').catch((error: unknown) => error);
    expect(String(failed)).to.include('api|worker');
  });
});
