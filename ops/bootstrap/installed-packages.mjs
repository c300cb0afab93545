import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** npm's record of the packages that it installed. */
const NPM_NOTE = 'node_modules/.package-lock.json';

/** Cached result of the last comparison. */
const STAMP = 'node_modules/.upsilon-packages.json';

/** Folder of the sets of packages that only some settings need: a workspace each. */
export const SETS_FOLDER = 'ops/packages/';

/**
 * Returns which sets of packages of `package-lock.json` are installed: `production`, the names of sets below
 * `ops/packages`, and `all`.
 *
 * @param {string} root
 * @returns {string[]}
 */
export function installedPackages(root) {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const note = readIfThere(join(root, NPM_NOTE));
  if (note === null) return [];
  const hash = createHash('sha256').update(lock).update(note).digest('hex');
  const stamp = readIfThere(join(root, STAMP));
  const known = stamp === null ? null : parseStamp(stamp.toString());
  if (known !== null && known.hash === hash && Array.isArray(known.installed)) return known.installed;
  const installed = compare(JSON.parse(lock.toString()).packages, JSON.parse(note.toString()).packages);
  try {
    writeFileSync(join(root, STAMP), `${JSON.stringify({ hash, installed })}\n`);
  } catch {
    // The folder is not writable: the packages are compared each time.
  }
  return installed;
}

function compare(wanted, there) {
  const missing = new Set(Object.keys(wanted).filter((path) => isMissing(wanted[path], path, there)));
  return Object.entries(packageSets(wanted))
    .filter(([, paths]) => paths.every((path) => !missing.has(path)))
    .map(([name]) => name);
}

function isMissing(entry, path, there) {
  if (!path.includes('node_modules/') || entry.link) return false;
  const found = there[path];
  // npm leaves out optional packages for other platforms.
  if (found === undefined && (entry.optional || entry.devOptional)) return false;
  return found?.version !== entry.version;
}

/**
 * The paths of a lockfile's packages, by set.
 *
 * @param {Readonly<Record<string, object>>} packages of the lockfile
 * @returns {Record<string, string[]>}
 */
export function packageSets(packages) {
  const all = Object.keys(packages);
  const common = neededBy(packages, ['', 'cli']);
  const sets = { all, production: [] };
  const seldom = new Set();
  for (const folder of all.filter((path) => path.startsWith(SETS_FOLDER))) {
    const needed = [...neededBy(packages, [folder])];
    sets[folder.slice(SETS_FOLDER.length)] = needed;
    for (const path of needed) if (!common.has(path)) seldom.add(path);
  }
  sets.production = all.filter((path) => !packages[path].dev && !seldom.has(path));
  return sets;
}

/** What folders need in production, directly or not. */
function neededBy(packages, folders) {
  const needed = new Set();
  const next = [...folders];
  for (const path of next) {
    const { dependencies, optionalDependencies } = packages[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = resolve(packages, path, name);
      if (found === null || needed.has(found)) continue;
      needed.add(found);
      next.push(found);
    }
  }
  return needed;
}

/** The path of the package that an import of `name` in the package at `from` finds, by Node's rule; null without one. */
function resolve(packages, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (at === '') return null;
  }
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
