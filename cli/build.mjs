// Bundles the tool and its dependencies as JavaScript, in chunks that are loaded on demand, so that the package has no
// dependencies. As a program it writes them to dist/, or to the folder in its argument.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, stop } from 'esbuild';

/**
 * Builds the files of `dist/` in memory: the same sources and packages give the same bytes.
 *
 * @param {string} root the folder of the project
 * @returns {Promise<Map<string, Uint8Array>>} contents by path below `dist/`
 */
export async function buildTool(root) {
  const cli = join(root, 'cli');
  const require = createRequire(join(cli, 'package.json'));
  const sqlite = dirname(require.resolve('node-sqlite3-wasm'));
  const outdir = join(cli, 'dist');
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { main: join(cli, 'src/main.ts'), 'scan-worker': join(cli, 'src/scan/scan-worker.ts') },
    outdir,
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    minify: true,
    legalComments: 'linked',
    // A package with a binary for each system; the tool runs without it.
    external: ['@napi-rs/keyring'],
    chunkNames: 'chunks/[name]-[hash]',
    plugins: [
      { name: 'external sqlite', setup: externalizeSqlite },
      { name: 'node builtins', setup: loadBuiltinsOnDemand },
    ],
  });
  await stop();
  return new Map([
    ...outputFiles.map(({ path, contents }) => [relative(outdir, path).replaceAll('\\', '/'), contents]),
    ['chunks/node-sqlite3-wasm.cjs', await readFile(join(sqlite, 'node-sqlite3-wasm.js'))],
    ['chunks/node-sqlite3-wasm.wasm', await readFile(join(sqlite, 'node-sqlite3-wasm.wasm'))],
    ['LICENSES.txt', Buffer.from(await licenceTexts(root, require))],
  ]);
}

/** The licences of this tool and of the bundled packages, which require it. */
async function licenceTexts(root, require) {
  const { devDependencies } = JSON.parse(await readFile(join(root, 'cli/package.json'), 'utf8'));
  const bundled = Object.keys(devDependencies).filter((name) => name !== 'esbuild');
  const texts = [`upsilon\n\n${await readFile(join(root, 'LICENSE'), 'utf8')}`];
  for (const name of bundled) {
    const folder = folderOf(require.resolve(name), name);
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    if (file !== undefined) texts.push(`${name}\n\n${await readFile(join(folder, file), 'utf8')}`);
  }
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

/** The folder of an installed package, from the path of its main file: not every package exports its `package.json`. */
function folderOf(path, name) {
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const cli = dirname(fileURLToPath(import.meta.url));
  const out = resolve(cli, process.argv[2] ?? 'dist');
  const files = await buildTool(dirname(cli));
  // Only now: when the build fails, the old one stays.
  await rm(out, { recursive: true, force: true });
  for (const [name, contents] of files) {
    await mkdir(dirname(join(out, name)), { recursive: true });
    await writeFile(join(out, name), contents);
  }
}
