import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** npm's record of the packages that it installed. */
const NPM_NOTE = 'node_modules/.package-lock.json';

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
  const wanted = packagesOf(join(root, 'package-lock.json'));
  const there = packagesOf(join(root, NPM_NOTE));
  if (wanted === null || there === null) return [];
  const missing = new Set(Object.keys(wanted).filter((path) => isMissing(wanted[path], path, there)));
  return Object.entries(packageSets(wanted))
    .filter(([, paths]) => paths.every((path) => !missing.has(path)))
    .map(([name]) => name);
}

/** The packages of a lockfile by path; null without one. */
function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return null;
  }
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
