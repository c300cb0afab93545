// Builds the package's plain JavaScript: everything that the tool uses goes into dist/, in pieces that are loaded when they
// are needed, so that installing the package brings nothing else along.
import { copyFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const require = createRequire(import.meta.url);
const out = resolve(here, process.argv[2] ?? 'dist');

await rm(out, { recursive: true, force: true });
await build({
  entryPoints: { main: join(here, 'src/main.ts') },
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
  banner: {
    // Packages that are not ES modules look for their files with these.
    js: [
      "import { createRequire as __createRequire } from 'node:module';",
      "import { fileURLToPath as __fileURLToPath } from 'node:url';",
      'const require = __createRequire(import.meta.url);',
      "const __dirname = __fileURLToPath(new URL('.', import.meta.url));",
      'const __filename = __fileURLToPath(import.meta.url);',
    ].join(''),
  },
});
// SQLite looks for its WebAssembly beside the piece that holds it.
const sqlite = dirname(require.resolve('node-sqlite3-wasm'));
await copyFile(join(sqlite, 'node-sqlite3-wasm.wasm'), join(out, 'chunks', 'node-sqlite3-wasm.wasm'));
