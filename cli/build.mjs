// Bundles the tool and its dependencies as JavaScript into dist/, in chunks that are loaded on demand, so that the package
// has no dependencies.
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const require = createRequire(import.meta.url);
const out = resolve(here, process.argv[2] ?? 'dist');

// SQLite loads its WebAssembly from its own folder. Resolve it before deleting: if it is missing, the old build stays.
const sqlite = dirname(require.resolve('node-sqlite3-wasm'));
await rm(out, { recursive: true, force: true });
await build({
  entryPoints: { main: join(here, 'src/main.ts'), 'scan-worker': join(here, 'src/scan-worker.ts') },
  outdir: out,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  minify: true,
  keepNames: true,
  legalComments: 'linked',
  // An optional dependency with a binary for each system.
  external: ['@napi-rs/keyring'],
  chunkNames: 'chunks/[name]-[hash]',
  plugins: [
    { name: 'external sqlite', setup: externalizeSqlite },
    { name: 'node builtins', setup: loadBuiltinsOnDemand },
  ],
});
await copyFile(join(sqlite, 'node-sqlite3-wasm.js'), join(out, 'chunks', 'node-sqlite3-wasm.cjs'));
await copyFile(join(sqlite, 'node-sqlite3-wasm.wasm'), join(out, 'chunks', 'node-sqlite3-wasm.wasm'));

await writeFile(join(out, 'LICENSES.txt'), await licenceTexts());

/** The licences of this tool and of the bundled packages, which require it. */
async function licenceTexts() {
  const { devDependencies } = JSON.parse(await readFile(join(here, 'package.json'), 'utf8'));
  const bundled = Object.keys(devDependencies).filter((name) => name !== 'esbuild');
  const texts = [`upsilon\n\n${await readFile(join(here, '../LICENSE'), 'utf8')}`];
  for (const name of bundled) {
    const folder = folderOf(name);
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    if (file !== undefined) texts.push(`${name}\n\n${await readFile(join(folder, file), 'utf8')}`);
  }
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

/** The folder of an installed package, from the path of its main file: not every package exports its `package.json`. */
function folderOf(name) {
  const path = require.resolve(name);
  const end = join('node_modules', name);
  return path.slice(0, path.lastIndexOf(end) + end.length);
}

/** Leaves SQLite out of the bundle, as a separate file that is loaded on demand. */
function externalizeSqlite({ onResolve }) {
  onResolve({ filter: /^node-sqlite3-wasm$/ }, () => ({ path: './node-sqlite3-wasm.cjs', external: true }));
}

/**
 * Bundled CommonJS code calls `require` for Node's modules, which ES modules lack. Replaces each call by a load on first use:
 * commander, for example, requires `node:child_process`, which loads the network modules, and never starts a process.
 */
function loadBuiltinsOnDemand({ onResolve, onLoad }) {
  onResolve({ filter: /^node:|^[a-z_]+$/ }, ({ path, kind }) =>
    kind === 'require-call' && isBuiltin(path) ? { path, namespace: 'node-builtins' } : undefined,
  );
  onLoad({ filter: /.*/, namespace: 'node-builtins' }, ({ path }) => {
    const module = `process.getBuiltinModule(${JSON.stringify(path)})`;
    const contents = path === 'node:child_process' ? `{get spawn(){return ${module}.spawn}}` : module;
    return { contents: `module.exports=${contents}`, loader: 'js' };
  });
}
