import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkOut, importFrom } from '../../../../ops/bench/frame/trees.ts';
import { useFolder } from '../../../support/temporary-folder.ts';

/** Counts its runs in a file beside the tree. */
const BOOTSTRAP = `
import { appendFileSync } from 'node:fs';
appendFileSync('../../../runs.log', process.argv[2] + '\\n');
`;

describe('a commit to compare with', () => {
  const folder = useFolder();
  let root = '';

  const write = (path: string, text: string): void => writeFileSync(join(root, path), text);
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...args], {
      cwd: root,
      encoding: 'utf8',
    }).trim();

  beforeEach(() => {
    root = join(folder(), 'project');
    mkdirSync(join(root, 'ops'), { recursive: true });
    write('package.json', '{"type":"module"}');
    write('ops/bootstrap.mjs', BOOTSTRAP);
    write('door.mjs', "export const label = 'then';");
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'First');
    write('door.mjs', "export const label = 'now';");
  });

  it('is extracted once and has its own modules and packages', async () => {
    const tree = checkOut(root, 'HEAD', join(folder(), 'data'));
    expect(tree.name).to.equal(git('rev-parse', 'HEAD').slice(0, 8));
    expect(await importFrom<{ label: string }>(tree, 'door.mjs')).to.include({ label: 'then' });
    expect(await importFrom<{ label: string }>({ name: '', root }, 'door.mjs')).to.include({ label: 'now' });
    writeFileSync(join(tree.root, 'kept'), '');
    expect(checkOut(root, 'HEAD', join(folder(), 'data')).root).to.equal(tree.root);
    expect(readFileSync(join(tree.root, 'kept'), 'utf8')).to.equal('');
    expect(readFileSync(join(folder(), 'runs.log'), 'utf8')).to.equal('install\ninstall\n');
  });

  it('has to exist', () => {
    expect(() => checkOut(root, 'no-such-commit', join(folder(), 'data'))).to.throw(/rev-parse/);
  });
});
