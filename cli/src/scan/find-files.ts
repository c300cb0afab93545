import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import { reasonOf } from '../cli-error.ts';
import type { Place, Unreadable } from '../sources/source.ts';

/** What the system says of a path that leads nowhere: an absent place, a dead link, a link to itself. */
const NOTHING_THERE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/** Files found under some folders. */
export interface FoundFiles {
  readonly places: readonly Place[];
  /** Real paths, each once, in a stable order. */
  readonly files: readonly string[];
  readonly unreadable: readonly Unreadable[];
}

/**
 * Finds the regular files that `wanted` takes by their path, at any depth. Symbolic links are followed; every folder and file
 * is known by its real path, so loops end and nothing is found twice. A place that does not exist is no error. Does not give
 * way: over hundreds of folders, asking for each would take several times as long.
 */
export function findFiles(places: readonly string[], wanted: (path: string) => boolean): FoundFiles {
  const walk = new Walk(wanted);
  const looked: Place[] = [];
  for (const path of places) looked.push({ path, found: walk.enter(path) });
  walk.finish();
  return { places: looked, files: [...walk.files].sort(), unreadable: walk.unreadable };
}

class Walk {
  readonly files = new Set<string>();
  readonly unreadable: Unreadable[] = [];
  readonly #wanted: (path: string) => boolean;
  readonly #seen = new Set<string>();
  /** Folders still to be read: a list instead of recursion, so that depth costs no stack. */
  readonly #waiting: string[] = [];

  constructor(wanted: (path: string) => boolean) {
    this.#wanted = wanted;
  }

  /** Looks at a path that may be a link: notes it if it is a file of ours, queues it if it is a folder. False: nothing there. */
  enter(path: string): boolean {
    try {
      const real = realpathSync.native(path);
      const what = statSync(real);
      if (what.isDirectory()) this.#queue(real);
      else if (what.isFile() && this.#wanted(path)) this.files.add(real);
      return true;
    } catch (error) {
      const reason = reasonOf(error);
      if (!NOTHING_THERE.has(reason)) this.unreadable.push({ path, reason });
      return false;
    }
  }

  finish(): void {
    for (let folder = this.#waiting.pop(); folder !== undefined; folder = this.#waiting.pop()) {
      this.#read(folder);
    }
  }

  #queue(real: string): void {
    if (this.#seen.has(real)) return;
    this.#seen.add(real);
    this.#waiting.push(real);
  }

  #read(folder: string): void {
    let entries: Dirent[];
    try {
      entries = readdirSync(folder, { withFileTypes: true });
    } catch (error) {
      this.unreadable.push({ path: folder, reason: reasonOf(error) });
      return;
    }
    // A real path needs no tidying, which `join` would do for every file.
    const start = folder.endsWith(sep) ? folder : folder + sep;
    for (const entry of entries) {
      const path = start + entry.name;
      if (entry.isDirectory()) this.#queue(path);
      else if (entry.isFile()) {
        if (this.#wanted(path)) this.files.add(path);
      } else if (this.#mayMatter(entry)) {
        this.enter(path);
      }
    }
  }

  /** Links can be folders under any name; sockets and pipes never matter; some file systems do not tell what an entry is. */
  #mayMatter(entry: Dirent): boolean {
    if (entry.isSymbolicLink()) return true;
    const special = entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice();
    return !special;
  }
}
