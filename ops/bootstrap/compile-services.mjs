import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The programs of the service's processes, by the names that `service.mjs` takes. */
const SERVICES = { api: 'api/main.ts', worker: 'workers/main.ts' };

/** This program's own source: what it makes of the others changes with it. */
const COMPILER = fileURLToPath(import.meta.url);

/** A compiled program that no process started for this long is removed, in milliseconds. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

/**
 * Compiles the api and the worker.
 *
 * @param {string} root
 */
export function compileServices(root) {
  return compilePrograms(root, SERVICES, 'services');
}

/**
 * Compiles programs to JavaScript, one file each and one for what they share, unless that was done for these
 * very sources. A process that runs compiled files starts sooner and is smaller than one that compiles what it imports:
 * it holds no compiler, and none of the compiler's text. Packages stay outside, and load as ever.
 *
 * The files lie below `node_modules`, where packages are found from. Each program's folder is named after its content, so
 * that processes of an older one keep theirs.
 *
 * @template {string} Name
 * @param {string} root
 * @param {Record<Name, string>} entries the programs' sources, below the root
 * @param {string} kind what they are called together: programs of another kind lie elsewhere
 * @returns {Promise<Record<Name, string>>} absolute paths
 * @throws when the folder cannot be written to, or a source cannot be compiled
 */
export async function compilePrograms(root, entries, kind) {
  const cache = join(root, `node_modules/.cache/upsilon-${kind}`);
  const note = readNote(join(cache, 'compiled.json'));
  if (note !== null && isOf(note, root)) return programs(join(cache, note.folder), entries);
  const { outputs, inputs } = await build(root, entries);
  const hash = createHash('sha256');
  for (const { name, text } of outputs) hash.update(`${name}\0${text}\0`);
  const folder = hash.digest('hex').slice(0, 16);
  mkdirSync(cache, { recursive: true });
  place(cache, folder, outputs);
  const draft = join(cache, `compiled.${process.pid}.json`);
  writeFileSync(draft, JSON.stringify({ root, folder, inputs }));
  renameSync(draft, join(cache, 'compiled.json'));
  sweep(cache, folder);
  return programs(join(cache, folder), entries);
}

function programs(folder, entries) {
  const now = new Date();
  try {
    utimesSync(folder, now, now);
  } catch {
    // An image's files belong to somebody else, who keeps them.
  }
  return Object.fromEntries(
    Object.entries(entries).map(([name, source]) => [name, join(folder, source.replace(/\.ts$/, '.mjs'))]),
  );
}

/** What was compiled last, if it is still there: its folder, and what its sources were and where they lay. */
function readNote(path) {
  try {
    const note = JSON.parse(readFileSync(path, 'utf8'));
    statSync(join(path, '..', note.folder));
    return note;
  } catch {
    return null;
  }
}

/**
 * Whether what was compiled is of these very sources, in this very place: it knows where they lie. A file with another
 * stamp is read, because images and copies keep contents but not always times.
 */
function isOf(note, root) {
  if (note.root !== root) return false;
  return Object.entries(note.inputs).every(([name, { stamp, hash }]) => {
    const path = join(root, name);
    return generationOf(path) === stamp || hashOf(path) === hash;
  });
}

/** What changes when a file does, and now and then when it does not; empty when it is gone. */
function generationOf(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.mtimeMs} ${stat.size}`;
}

/** Of a file's content; empty when it is gone. */
function hashOf(path) {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    return '';
  }
}

async function build(root, entries) {
  const { build: bundle, stop } = await import('esbuild');
  const inputs = {};
  noteInput(COMPILER, root, inputs);
  const { outputFiles } = await bundle({
    absWorkingDir: root,
    entryPoints: Object.values(entries),
    outdir: root,
    outbase: root,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'silent',
    plugins: [keepAddresses(root, inputs)],
  });
  await stop();
  const outputs = outputFiles.map(({ path, text }) => ({ name: path.slice(root.length).replace(/^[/\\]/, ''), text }));
  return { outputs, inputs };
}

/** Notes what a source is before it is compiled: one that changes meanwhile is compiled again next time. */
function noteInput(path, root, inputs) {
  inputs[relative(root, path)] = { stamp: generationOf(path), hash: hashOf(path) };
}

/** Lets each source know where it lies, not where its compiled text does: it reads files beside itself. */
function keepAddresses(root, inputs) {
  return {
    name: 'keep-addresses',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        noteInput(path, root, inputs);
        const address = JSON.stringify(pathToFileURL(path).href);
        return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', address), loader: 'ts' };
      });
    },
  };
}

/** Puts a compiled program where it belongs, whole or not at all. */
function place(cache, folder, outputs) {
  const draft = join(cache, `.${folder}.${process.pid}`);
  for (const { name, text } of outputs) {
    mkdirSync(join(draft, name, '..'), { recursive: true });
    writeFileSync(join(draft, name), text);
  }
  try {
    renameSync(draft, join(cache, folder));
  } catch {
    // The same program is there already: another process was faster, or its sources changed back.
    rmSync(draft, { recursive: true, force: true });
  }
}

function sweep(cache, current) {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (name === current || stat?.isDirectory() !== true || Date.now() - stat.mtimeMs < KEPT_MS) continue;
    rmSync(path, { recursive: true, force: true });
  }
}

// An image is built with it: `node ops/bootstrap/compile-services.mjs`.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await compileServices(fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, ''));
}
