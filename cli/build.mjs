// Builds the package's plain JavaScript: everything that the tool uses goes into dist/, in pieces that are loaded when they
// are needed, so that installing the package brings nothing else along.
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const require = createRequire(import.meta.url);
const out = resolve(here, process.argv[2] ?? 'dist');

// SQLite looks for its WebAssembly beside itself. Looked for first: what is missing then leaves an older build as it is.
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
  // A binary for each system: an optional dependency.
  external: ['@napi-rs/keyring'],
  chunkNames: 'chunks/[name]-[hash]',
  plugins: [
    { name: 'sqlite beside', setup: leaveSqliteBeside },
    { name: 'modules of Node', setup: giveBuiltins },
  ],
});
await copyFile(join(sqlite, 'node-sqlite3-wasm.js'), join(out, 'chunks', 'node-sqlite3-wasm.cjs'));
await copyFile(join(sqlite, 'node-sqlite3-wasm.wasm'), join(out, 'chunks', 'node-sqlite3-wasm.wasm'));

await writeFile(join(out, 'LICENSES.txt'), await licenceTexts());

/** The licences of this tool and of what is bundled with it, which ask to go along. */
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

/** The folder of an installed package, found from a file of it: not every package lets its own `package.json` be resolved. */
function folderOf(name) {
  const path = require.resolve(name);
  const end = join('node_modules', name);
  return path.slice(0, path.lastIndexOf(end) + end.length);
}

/** Leaves SQLite out of the bundle, as a file of its own that is loaded where it is needed. */
function leaveSqliteBeside({ onResolve }) {
  onResolve({ filter: /^node-sqlite3-wasm$/ }, () => ({ path: './node-sqlite3-wasm.cjs', external: true }));
}

/**
 * Code that was no ES module asks for Node's modules by `require`, which an ES module has not. It is given each when it
 * first uses it: commander, for one, names the module that starts programs, which loads the network, and starts none.
 */
function giveBuiltins({ onResolve, onLoad }) {
  onResolve({ filter: /^node:|^[a-z_]+$/ }, ({ path, kind }) =>
    kind === 'require-call' && isBuiltin(path) ? { path, namespace: 'modules-of-node' } : undefined,
  );
  onLoad({ filter: /.*/, namespace: 'modules-of-node' }, ({ path }) => {
    const whole = `process.getBuiltinModule(${JSON.stringify(path)})`;
    const given = path === 'node:child_process' ? `{get spawn(){return ${whole}.spawn}}` : whole;
    return { contents: `module.exports=${given}`, loader: 'js' };
  });
}
