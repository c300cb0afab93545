import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sourceFiles } from '../architecture/support/source-files.ts';

/**
 * Paths of files in the work tree that differ from a commit, relative to the project's folder, including untracked ones.
 *
 * @throws Error when the commit does not exist
 */
export function changedFiles(root: string, commit: string): string[] {
  const git = (...args: string[]): string[] =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
      .split('\0')
      .filter((line) => line !== '');
  return [
    ...git('diff', '--name-only', '--no-renames', '-z', commit, '--'),
    ...git('ls-files', '--others', '--exclude-standard', '-z'),
  ];
}

/**
 * The importers of a file, except for type imports. For a file that is never imported (a program, a style sheet, a
 * dashboard): the files that contain its name.
 */
export function importersOf(root: string): (file: string) => Iterable<string> {
  const sources = sourceFiles();
  const importers = new Map<string, string[]>();
  for (const { path, imports } of sources.values()) {
    for (const { file, typesOnly } of imports) {
      if (file === null || typesOnly) continue;
      const known = importers.get(file);
      if (known === undefined) importers.set(file, [path]);
      else known.push(path);
    }
  }
  return (file) => {
    const byImport = importers.get(file);
    if (byImport !== undefined) return byImport;
    const name = basename(file);
    return [...sources.keys()].filter((path) => path !== file && readFileSync(join(root, path), 'utf8').includes(name));
  };
}
