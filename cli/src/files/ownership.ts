import type { Stats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { CliError } from '../cli-error.ts';

/** Only its owner may read a secret; only their owner may change other files and folders. */
export type OwnedKind = 'secret' | 'state' | 'folder';

/** The mode bits of group and others that a path must not have. */
const SHARED_MODE_BITS: Readonly<Record<OwnedKind, number>> = { secret: 0o077, state: 0o022, folder: 0o022 };

const MODE_BITS = 0o777;

type OwnershipFault = 'link' | 'irregular' | 'foreign' | 'shared';

/** The effective user id; null where the system has no POSIX owners and modes (Windows), where owners and modes are not checked. */
export function currentUser(): number | null {
  return process.geteuid?.() ?? null;
}

/** The fault of a path, by its `lstat`; null when it has none. */
export function ownershipFault(found: Stats, kind: OwnedKind, user = currentUser()): OwnershipFault | null {
  if (found.isSymbolicLink()) return 'link';
  if (kind !== 'folder' && !found.isFile()) return 'irregular';
  if (user === null) return null;
  if (found.uid !== user) return 'foreign';
  return (found.mode & SHARED_MODE_BITS[kind]) === 0 ? null : 'shared';
}

/**
 * Throws a `files` error, with the command that fixes it, for a path that is a link, not a regular file (reading a FIFO would
 * wait forever), another user's or open to others. The folder comes first: what only its owner can change is not swapped later.
 */
export async function requireOwned(path: string, kind: OwnedKind, user = currentUser()): Promise<void> {
  const found = await lstat(path);
  switch (ownershipFault(found, kind, user)) {
    case null:
      return;
    case 'link':
      throw await linkError(path, kind);
    case 'irregular': {
      const hint = `Move it away, and put the file in its place if there is one: mv ${quoted(path)} ${quoted(`${path}.aside`)}`;
      throw new CliError('files', 'file_irregular', `${path} is not a regular file`, hint);
    }
    case 'foreign': {
      const command = `sudo chown ${kind === 'folder' ? '-R ' : ''}"$(id -un)" ${quoted(path)}`;
      const hint = `If it is yours, run: ${command}\nOr name another folder with --config-dir.`;
      throw new CliError('files', 'file_foreign', `${path} belongs to another user (id ${found.uid})`, hint);
    }
    case 'shared': {
      const verb = kind === 'secret' ? 'read or changed' : 'changed';
      const mode = (found.mode & MODE_BITS).toString(8).padStart(3, '0');
      const message = `${path} can be ${verb} by other users of this machine (mode ${mode})`;
      const command = `chmod ${kind === 'folder' ? '700' : '600'} ${quoted(path)}`;
      throw new CliError('files', 'file_shared', message, `Run: ${command}`);
    }
  }
}

async function linkError(path: string, kind: OwnedKind): Promise<CliError> {
  const target = await realpath(path).catch(() => null);
  const advice =
    kind === 'folder' && target !== null
      ? `If you made it, name the folder that it points to: --config-dir ${quoted(target)}\nOtherwise`
      : 'Put the file itself in its place, or';
  const message = `${path} is a link${target === null ? '' : ` to ${target}`}; links are not followed here`;
  return new CliError('files', 'file_linked', message, `${advice} remove the link: rm ${quoted(path)}`);
}

/** A path quoted as one word for a shell. */
function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}
