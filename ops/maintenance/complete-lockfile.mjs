/**
 * Adds to package-lock.json the packages of other platforms that npm left out: it drops an optional package whose registry
 * entry it could not read, and `npm ci` then refuses the lockfile everywhere. Run it after changing dependencies:
 * `node ops/maintenance/complete-lockfile.mjs`.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('../../package-lock.json', import.meta.url);
const SYSTEMS = {
  aix: 'aix',
  android: 'android',
  darwin: 'darwin',
  freebsd: 'freebsd',
  linux: 'linux',
  netbsd: 'netbsd',
  openbsd: 'openbsd',
  openharmony: 'openharmony',
  sunos: 'sunos',
  win32: 'win32',
  windows: 'win32',
};
const PROCESSORS = {
  aarch64: 'arm64',
  arm: 'arm',
  arm64: 'arm64',
  ia32: 'ia32',
  loong64: 'loong64',
  mips64el: 'mips64el',
  ppc64: 'ppc64',
  riscv64: 'riscv64',
  s390x: 's390x',
  wasm32: 'wasm32',
  x64: 'x64',
};

/** Whether a package that stands at `place` finds `name` in its own folder or in one above. */
function resolves(packages, place, name) {
  for (let at = place; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    if (packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`] !== undefined) return true;
    if (!at.includes('node_modules/')) return packages[`node_modules/${name}`] !== undefined;
  }
}

function entryOf(name, range, { dev }) {
  const words = name.replace(/^@[^/]*\//, '').split(/[-_/]/);
  const os = words.map((word) => SYSTEMS[word]).find(Boolean);
  const cpu = words.map((word) => PROCESSORS[word]).find(Boolean);
  if (os === undefined && cpu === undefined) throw new Error(`${name} does not say which platform it is for`);
  const libc = words.some((word) => word.startsWith('musl'))
    ? 'musl'
    : words.some((word) => word.startsWith('gnu')) && 'glibc';
  return {
    version: range.replace(/^[\^~]/, ''),
    ...(cpu && { cpu: [cpu] }),
    ...(dev && { dev: true }),
    ...(libc && { libc: [libc] }),
    optional: true,
    ...(os && { os: [os] }),
  };
}

const lock = JSON.parse(readFileSync(FILE, 'utf8'));
const { packages } = lock;
const before = Object.keys(packages).length;
for (const [place, entry] of Object.entries({ ...packages })) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    if (!resolves(packages, place, name)) packages[`node_modules/${name}`] = entryOf(name, range, entry);
  }
}
lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en')));
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${Object.keys(packages).length - before} packages of other platforms added\n`);
