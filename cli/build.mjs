// Builds the package's plain JavaScript: everything that the tool uses goes into dist/, in pieces that are loaded when they
// are needed, so that installing the package brings nothing else along.
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const require = createRequire(import.meta.url);
const out = resolve(here, process.argv[2] ?? 'dist');

await rm(out, { recursive: true, force: true });
await build({
  entryPoints: { main: join(here, 'src/main.ts'), 'scan-lane': join(here, 'src/scan-lane.ts') },
  outdir: out,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  minify: true,
  keepNames: true,
  legalComments: 'linked',
  // A binary for each system: an optional dependency.
  external: ['@napi-rs/keyring'],
  chunkNames: 'chunks/[name]-[hash]',
  plugins: [{ name: 'sqlite beside', setup: leaveSqliteBeside }],
});
// SQLite looks for its WebAssembly beside itself.
const sqlite = dirname(require.resolve('node-sqlite3-wasm'));
await copyFile(join(sqlite, 'node-sqlite3-wasm.js'), join(out, 'chunks', 'node-sqlite3-wasm.cjs'));
await copyFile(join(sqlite, 'node-sqlite3-wasm.wasm'), join(out, 'chunks', 'node-sqlite3-wasm.wasm'));
await Promise.all((await readdir(out, { recursive: true })).filter((name) => name.endsWith('.js')).map(giveRequire));

/** Leaves SQLite out of the bundle, as a file of its own that is loaded where it is needed. */
function leaveSqliteBeside({ onResolve }) {
  onResolve({ filter: /^node-sqlite3-wasm$/ }, () => ({ path: './node-sqlite3-wasm.cjs', external: true }));
}

/** Code that was no ES module asks for Node's modules by `require`: those few pieces that hold some are given it. */
async function giveRequire(name) {
  const path = join(out, name);
  const code = await readFile(path, 'utf8');
  if (!code.includes('Dynamic require of')) return;
  const [, shebang, rest] = /^(#!.*\n)?([^]*)$/.exec(code);
  const given =
    "import{createRequire as $createRequire}from'node:module';const require=$createRequire(import.meta.url);";
  await writeFile(path, `${shebang ?? ''}${given}\n${rest}`);
}
