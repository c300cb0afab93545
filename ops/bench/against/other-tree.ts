import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';

/**
 * Extracts a commit's files below `dataDir` once; later runs reuse them. Returns their root and the commit's full id. When both lockfiles are equal, it links this tree's
 * packages; otherwise the commit's bootstrap installs them.
 *
 * @throws when git has no such commit
 */
export function checkOut(root: string, commitish: string, dataDir: string) {
  const commit = git(root, 'rev-parse', '--verify', '--end-of-options', `${commitish}^{commit}`).toString().trim();
  const folder = join(dataDir, 'bench-trees', commit);
  if (!existsSync(folder)) {
    const draft = `${folder}.${process.pid}`;
    mkdirSync(draft, { recursive: true });
    try {
      execFileSync('tar', ['-x', '-C', draft], { input: git(root, 'archive', commit) });
      if (sameFile(join(root, 'package-lock.json'), join(draft, 'package-lock.json'))) linkPackages(root, draft);
      renameSync(draft, folder);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  return { root: folder, commit };
}

/** Limit of a commit's archive. */
const MAX_ARCHIVE_BYTES = 1024 * 1024 * 1024;

function git(root: string, ...args: readonly string[]): Buffer {
  return execFileSync('git', args, { cwd: root, maxBuffer: MAX_ARCHIVE_BYTES, stdio: ['ignore', 'pipe', 'inherit'] });
}

function sameFile(one: string, other: string): boolean {
  return existsSync(one) && existsSync(other) && readFileSync(one).equals(readFileSync(other));
}

/**
 * Links each package. A workspace is linked to the other tree's folder, and files compiled from this tree are left out.
 */
function linkPackages(root: string, other: string): void {
  const link = (folder: string): void => {
    mkdirSync(join(other, folder), { recursive: true });
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) symlinkSync(readlinkSync(join(root, path)), join(other, path));
      else if (entry.isFile()) copyFileSync(join(root, path), join(other, path));
      else if (entry.name.startsWith('@') || entry.name === '.bin') link(path);
      else if (entry.name !== '.cache') symlinkSync(join(root, path), join(other, path));
    }
  };
  link('node_modules');
}
