import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** npm's record of the packages that it installed. */
const NPM_NOTE = 'node_modules/.package-lock.json';

/** Cached result of the last comparison. */
const STAMP = 'node_modules/.upsilon-packages.json';

/**
 * Returns which packages of `package-lock.json` are installed: all, those of production, or fewer (`none`).
 *
 * @param {string} root
 * @returns {'all' | 'production' | 'none'}
 */
export function installedPackages(root) {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const note = readIfThere(join(root, NPM_NOTE));
  if (note === null) return 'none';
  const hash = createHash('sha256').update(lock).update(note).digest('hex');
  const stamp = readIfThere(join(root, STAMP));
  const known = stamp === null ? null : parseStamp(stamp.toString());
  if (known !== null && known.hash === hash) return known.installed;
  const installed = compare(JSON.parse(lock.toString()).packages, JSON.parse(note.toString()).packages);
  try {
    writeFileSync(join(root, STAMP), `${JSON.stringify({ hash, installed })}\n`);
  } catch {
    // The folder is not writable: the packages are compared each time.
  }
  return installed;
}

function compare(wanted, there) {
  let installed = 'all';
  for (const [path, entry] of Object.entries(wanted)) {
    if (!path.includes('node_modules/') || entry.link) continue;
    const found = there[path];
    // npm leaves out optional packages for other platforms.
    if (found === undefined && (entry.optional || entry.devOptional)) continue;
    if (found !== undefined && found.version === entry.version) continue;
    if (!entry.dev) return 'none';
    installed = 'production';
  }
  return installed;
}

function readIfThere(path) {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

function parseStamp(text) {
  try {
    const { hash, installed } = JSON.parse(text);
    return { hash, installed };
  } catch {
    return null;
  }
}
