import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Entry points of the service's processes, by the argument of `service.mjs`. */
const SERVICES = { api: 'api/main.ts', worker: 'workers/main.ts' };

/** This file: its content is an input of the compilation too. */
const COMPILER = fileURLToPath(import.meta.url);

/** Programs that were replaced are deleted this long after their compilation, in milliseconds: processes may still run them. */
const KEEP_MS = 30 * 24 * 60 * 60 * 1_000;

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
 * The output is below `node_modules`, so that packages resolve. Each folder is named after its inputs, so that running
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
  let folder = compiledFolder(cache, root, entries);
  if (folder === null) {
    const draft = join(cache, `draft.${process.pid}`);
    mkdirSync(draft, { recursive: true });
    const note = JSON.stringify({ root, inputs: await build(root, entries, draft) });
    folder = hashOf(note).slice(0, 16);
    place(draft, join(cache, folder));
    writeFileSync(`${draft}.json`, note);
    renameSync(`${draft}.json`, join(cache, NOTE));
    deleteReplaced(cache, folder);
  }
  const programs = Object.entries(entries).map(([name, source]) => [
    name,
    join(cache, folder, source.replace(/\.ts$/, '.mjs')),
  ]);
  return Object.fromEntries(programs);
}

/** What was compiled last: the root, which the output contains, and the hashes of the sources by name. */
const NOTE = 'compiled.json';

/** The folder of the last compilation if it is of these sources; null otherwise. Images and copies keep contents, but not times. */
function compiledFolder(cache, root, entries) {
  try {
    const note = readFileSync(join(cache, NOTE), 'utf8');
    const { root: compiled, inputs } = JSON.parse(note);
    if (compiled !== root) return null;
    for (const [name, hash] of inputs) if (hashOf(readFileSync(join(root, name))) !== hash) return null;
    const folder = hashOf(note).slice(0, 16);
    for (const source of Object.values(entries)) statSync(join(cache, folder, source.replace(/\.ts$/, '.mjs')));
    return folder;
  } catch {
    // There is no note, or one of the files does not exist.
    return null;
  }
}

function hashOf(content) {
  return createHash('sha256').update(content).digest('hex');
}

/** Compiles into a folder; returns the names and hashes of the sources. */
async function build(root, entries, outdir) {
  const { build: bundle, stop } = await import('esbuild');
  const inputs = [[relative(root, COMPILER), hashOf(readFileSync(COMPILER))]];
  await bundle({
    absWorkingDir: root,
    entryPoints: Object.values(entries),
    outdir,
    outbase: root,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'silent',
    plugins: [keepAddresses(root, inputs)],
  });
  await stop();
  return inputs.sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Replaces `import.meta.url` with the URL of the source: sources read files relative to themselves. */
function keepAddresses(root, inputs) {
  return {
    name: 'keep-addresses',
    setup({ onLoad }) {
      onLoad({ filter: /\.(ts|mjs)$/ }, ({ path }) => {
        const source = readFileSync(path, 'utf8');
        inputs.push([relative(root, path), hashOf(source)]);
        return {
          contents: source.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
          loader: path.endsWith('.ts') ? 'ts' : 'js',
        };
      });
    },
  };
}

/** Makes a compiled program visible, as a whole. */
function place(draft, folder) {
  try {
    renameSync(draft, folder);
  } catch {
    // The same program exists: another process was faster, or the sources changed back.
    rmSync(draft, { recursive: true, force: true });
  }
}

function deleteReplaced(cache, current) {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (name === current || stat?.isDirectory() !== true || Date.now() - stat.mtimeMs < KEEP_MS) continue;
    rmSync(path, { recursive: true, force: true });
  }
}

// The image build runs this file: `node ops/bootstrap/compile-services.mjs`.
if (process.argv[1] === COMPILER) await compileServices(join(COMPILER, '../../..'));
