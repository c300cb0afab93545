import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Entry points of the service's processes, by the argument of `service.mjs`. */
const SERVICES = { api: 'api/main.ts', worker: 'workers/main.ts' };

/** This file: its content is an input of the compilation too. */
const COMPILER = fileURLToPath(import.meta.url);

/** Compiled programs unused for this long are deleted, in milliseconds. */
const UNUSED_MS = 30 * 24 * 60 * 60 * 1_000;

/**
 * Compiles the api and the worker.
 *
 * @param {string} root
 */
export function compileServices(root) {
  return compilePrograms(root, SERVICES, 'services');
}

/**
 * Compiles programs to JavaScript, one file each and shared chunks, unless the sources are unchanged since the last time.
 * A process that runs compiled files starts faster and uses less memory, because it does not load the compiler. Packages
 * are not bundled.
 *
 * The output is below `node_modules`, so that packages resolve. Each folder is named after its content, so that running
 * processes keep the files of an older version.
 *
 * @template {string} Name
 * @param {string} root
 * @param {Record<Name, string>} entries the programs' sources, below the root
 * @param {string} kind name of the set of programs; each set has a separate folder
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
  deleteUnused(cache, folder);
  return programs(join(cache, folder), entries);
}

function programs(folder, entries) {
  const now = new Date();
  try {
    utimesSync(folder, now, now);
  } catch {
    // In a container image the files belong to another user and are never deleted.
  }
  return Object.fromEntries(
    Object.entries(entries).map(([name, source]) => [name, join(folder, source.replace(/\.ts$/, '.mjs'))]),
  );
}

/** The note of the last compilation (root, folder, inputs) if its folder exists, else null. */
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
 * Whether the last compilation is of these sources at this root, which the output contains. A file with another stamp is
 * hashed, because images and copies keep contents but not always times.
 */
function isOf(note, root) {
  if (note.root !== root) return false;
  return Object.entries(note.inputs).every(([name, { stamp, hash }]) => {
    const path = join(root, name);
    return sizeAndTimeOf(path) === stamp || hashOf(path) === hash;
  });
}

/** Modification time and size of a file; empty when it does not exist. */
function sizeAndTimeOf(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.mtimeMs} ${stat.size}`;
}

/** SHA-256 of a file's content; empty when it cannot be read. */
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

/** Records a source before it is compiled, so that a change during compilation is seen the next time. */
function noteInput(path, root, inputs) {
  inputs[relative(root, path)] = { stamp: sizeAndTimeOf(path), hash: hashOf(path) };
}

/** Replaces `import.meta.url` with the URL of the source: sources read files relative to themselves. */
function keepAddresses(root, inputs) {
  return {
    name: 'keep-addresses',
    setup({ onLoad }) {
      onLoad({ filter: /\.(ts|mjs)$/ }, ({ path }) => {
        noteInput(path, root, inputs);
        const address = JSON.stringify(pathToFileURL(path).href);
        return {
          contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', address),
          loader: path.endsWith('.ts') ? 'ts' : 'js',
        };
      });
    },
  };
}

/** Writes a compiled program atomically. */
function place(cache, folder, outputs) {
  const draft = join(cache, `.${folder}.${process.pid}`);
  for (const { name, text } of outputs) {
    mkdirSync(join(draft, name, '..'), { recursive: true });
    writeFileSync(join(draft, name), text);
  }
  try {
    renameSync(draft, join(cache, folder));
  } catch {
    // The same program exists: another process was faster, or the sources changed back.
    rmSync(draft, { recursive: true, force: true });
  }
}

function deleteUnused(cache, current) {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (name === current || stat?.isDirectory() !== true || Date.now() - stat.mtimeMs < UNUSED_MS) continue;
    rmSync(path, { recursive: true, force: true });
  }
}

// The image build runs this file: `node ops/bootstrap/compile-services.mjs`.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await compileServices(fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, ''));
}
