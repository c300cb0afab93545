import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const GIB = 2 ** 30;

/** Limit of a commit's archive. */
const MAX_ARCHIVE_BYTES = 1024 * 1024 * 1024;

/** A copy of the project: this one with its uncommitted changes, or a commit. */
export interface Tree {
  /** `this tree`, or a short commit. */
  readonly name: string;
  /** The folder of its `package.json`. */
  readonly root: string;
}

export const THIS_TREE: Tree = {
  name: 'this tree',
  root: fileURLToPath(new URL('../../../', import.meta.url)),
};

/** Loads a module of a tree by its path, with the type of this tree's. */
export async function importFrom<Exports>({ root }: Tree, path: string): Promise<Exports> {
  return import(pathToFileURL(join(root, path)).href);
}

/**
 * Extracts a commit below `dataDir` and installs its packages, once; later runs reuse them.
 *
 * @throws when git has no such commit, or its packages cannot be installed
 */
export function checkOut(root: string, commitish: string, dataDir: string): Tree {
  const commit = git(root, 'rev-parse', '--verify', '--end-of-options', `${commitish}^{commit}`).toString().trim();
  const folder = join(dataDir, 'bench-trees', commit);
  if (!existsSync(folder)) {
    const draft = `${folder}.${process.pid}`;
    try {
      extract(root, commit, draft);
      renameSync(draft, folder);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  execFileSync(process.execPath, [join(folder, 'ops/bootstrap.mjs'), 'install'], { cwd: folder, stdio: 'ignore' });
  return { name: commit.slice(0, 8), root: folder };
}

/** Writes the files of a commit into a new folder. */
export function extract(root: string, commit: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-x', '-C', folder], { input: git(root, 'archive', commit) });
}

function git(root: string, ...args: readonly string[]): Buffer {
  return execFileSync('git', args, { cwd: root, maxBuffer: MAX_ARCHIVE_BYTES, stdio: ['ignore', 'pipe', 'inherit'] });
}

/** The commit of this tree, for a result. */
export function commitName(): string {
  try {
    return git(THIS_TREE.root, 'rev-parse', '--short', 'HEAD').toString().trim();
  } catch {
    return 'unknown';
  }
}

/** This machine and its Node, for a result. */
export function machineName(): string {
  const memory = Math.round(totalmem() / GIB);
  return `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores, ${memory} GiB, Node.js ${process.version}`;
}
