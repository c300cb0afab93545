import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import { reasonOf } from '../cli-error.ts';
import type { Place, Unreadable } from '../sources/source.ts';

/** Errors of a path that leads nowhere: a missing place, a dead link, a link to itself. */
const MISSING_CODES: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/**
 * Finds the regular files whose path passes `wanted`, at any depth, and those that `paths` name: real paths, each once, in a stable
 * order. Follows symbolic links within these paths, and reports those that lead out of them; identifies every folder and file by its real path, so that loops end and nothing is found twice. A missing place is
 * not an error. Synchronous: over hundreds of folders, asynchronous calls take several times as long.
 */
export function findFiles(paths: readonly string[], wanted: (path: string) => boolean) {
  const files = new Set<string>();
  const unreadable: Unreadable[] = [];
  /** Grows while it is visited: no recursion, so that depth cannot overflow the call stack. */
  const folders = new Set<string>();
  /** Resolves a path that may be a link: adds a wanted file, queues a folder. False when nothing exists there. */
  const enter = (path: string, isWanted: boolean, isWithin: (real: string) => boolean): boolean => {
    try {
      const real = realpathSync.native(path);
      const what = statSync(real);
      const matters = what.isDirectory() || (what.isFile() && isWanted);
      if (matters && !isWithin(real)) unreadable.push({ path, reason: 'LINK_OUTSIDE' });
      else if (what.isDirectory()) folders.add(real);
      else if (what.isFile() && isWanted) files.add(real);
      return true;
    } catch (error) {
      const reason = reasonOf(error);
      if (!MISSING_CODES.has(reason)) unreadable.push({ path, reason });
      return false;
    }
  };
  const read = (folder: string): void => {
    // `join` would normalize each path again; a real path is normalized.
    const start = withEnd(folder);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = start + entry.name;
      if (entry.isDirectory()) folders.add(path);
      else if (!entry.isFile() && mayMatter(entry)) enter(path, wanted(path), isWithin);
      else if (entry.isFile() && wanted(path)) files.add(path);
    }
  };
  const places: readonly Place[] = paths.map((path) => ({ path, found: enter(path, true, () => true) }));
  const roots = [...folders];
  const isWithin = (real: string): boolean => roots.some((root) => `${real}${sep}`.startsWith(withEnd(root)));
  for (const folder of folders) {
    try {
      read(folder);
    } catch (error) {
      unreadable.push({ path: folder, reason: reasonOf(error) });
    }
  }
  return { places, files: [...files].sort(), unreadable };
}

function withEnd(folder: string): string {
  return folder.endsWith(sep) ? folder : folder + sep;
}

/** A link may lead to a folder; sockets and pipes never matter; some file systems report no entry type. */
function mayMatter(entry: Dirent): boolean {
  return !(entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice());
}
