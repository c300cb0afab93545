import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import { reasonOf } from '../cli-error.ts';
import type { Place, Unreadable } from '../sources/source.ts';

/** Errors of a path that leads nowhere: a missing place, a dead link, a link to itself. */
const MISSING_CODES: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

export interface FoundFiles {
  readonly places: readonly Place[];
  /** Real paths, each once, in a stable order. */
  readonly files: readonly string[];
  readonly unreadable: readonly Unreadable[];
}

/**
 * Finds the regular files whose path passes `wanted`, at any depth. Follows symbolic links; identifies every folder and file
 * by its real path, so that loops end and nothing is found twice. A missing place is not an error. Synchronous: over hundreds
 * of folders, asynchronous calls take several times as long.
 */
export function findFiles(places: readonly string[], wanted: (path: string) => boolean): FoundFiles {
  const walk = new Walk(wanted);
  const searched: Place[] = [];
  for (const path of places) searched.push({ path, found: walk.enter(path) });
  walk.finish();
  return { places: searched, files: [...walk.files].sort(), unreadable: walk.unreadable };
}

class Walk {
  readonly files = new Set<string>();
  readonly unreadable: Unreadable[] = [];
  readonly #wanted: (path: string) => boolean;
  readonly #seen = new Set<string>();
  /** Folders still to be read: an explicit stack, so that depth cannot overflow the call stack. */
  readonly #waiting: string[] = [];

  constructor(wanted: (path: string) => boolean) {
    this.#wanted = wanted;
  }

  /** Resolves a path that may be a link: adds a wanted file, queues a folder. False when nothing exists there. */
  enter(path: string): boolean {
    try {
      const real = realpathSync.native(path);
      const what = statSync(real);
      if (what.isDirectory()) this.#queue(real);
      else if (what.isFile() && this.#wanted(path)) this.files.add(real);
      return true;
    } catch (error) {
      const reason = reasonOf(error);
      if (!MISSING_CODES.has(reason)) this.unreadable.push({ path, reason });
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
    // `join` would normalize each path again; a real path is normalized.
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

  /** A link may lead to a folder; sockets and pipes never matter; some file systems report no entry type. */
  #mayMatter(entry: Dirent): boolean {
    if (entry.isSymbolicLink()) return true;
    const special = entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice();
    return !special;
  }
}
