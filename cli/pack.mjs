// Packs the tool as a service offers it to `npx`. The package has no dependencies, so that its digest covers everything that
// runs. Equal sources and packages give equal bytes on every machine. As a program it prints the path of the package: with the address of a
// service's API as its argument, of the one that this service serves.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';

/** Everything that the package is made from, besides installed packages, for which the lockfile stands. */
const INPUTS = ['cli', 'engine/contract', 'config/units.ts', 'LICENSE', 'package-lock.json'];

/** What `package.json` keeps: neither dependencies, which are bundled, nor scripts. */
const MANIFEST = ['name', 'version', 'description', 'license', 'type', 'bin', 'engines'];

const TAR_BLOCK = 512;

/**
 * Returns the package, built only when something that it is made from has changed.
 *
 * @param {string} root the folder of the project
 * @returns {Promise<{ path: string, bytes: Buffer }>} `path` does not exist where `node_modules` is not writable
 */
export async function packTool(root) {
  const cache = join(root, 'node_modules/.cache/upsilon-tool');
  const path = join(cache, `${hashOf(root, INPUTS)}.tgz`);
  try {
    return { path, bytes: readFileSync(path) };
  } catch {
    const bytes = await pack(root);
    try {
      mkdirSync(cache, { recursive: true });
      for (const name of readdirSync(cache)) rmSync(join(cache, name), { force: true });
      writeFileSync(`${path}.${process.pid}`, bytes);
      renameSync(`${path}.${process.pid}`, path);
    } catch {
      // In a container the folder may be read-only: the package is built once for each process.
    }
    return { path, bytes };
  }
}

function hashOf(root, inputs) {
  const hash = createHash('sha256');
  const files = inputs.flatMap((input) => {
    if (/\.\w+$|^LICENSE$/.test(input)) return [input];
    const names = readdirSync(join(root, input), { recursive: true, encoding: 'utf8' }).map(
      (name) => `${input}/${name}`,
    );
    return names.filter((name) => /\.\w+$/.test(name) && !/[/\\](?:dist|node_modules)[/\\]/.test(name)).sort();
  });
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex').slice(0, 32);
}

async function pack(root) {
  const { buildTool } = await import('./build.mjs');
  const built = await buildTool(root);
  const own = JSON.parse(readFileSync(join(root, 'cli/package.json'), 'utf8'));
  const manifest = Object.fromEntries(MANIFEST.map((member) => [member, own[member]]));
  const files = [
    ['package.json', Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)],
    ['README.md', readFileSync(join(root, 'cli/README.md'))],
    ...Array.from(built, ([name, contents]) => [`dist/${name}`, contents]).sort(([a], [b]) => (a < b ? -1 : 1)),
  ];
  return gzip(tar(files));
}

/** Adds to a package the base URL of the service that serves it, so that the tool needs none. Equal arguments give equal bytes. */
export function addSite(bytes, baseUrl) {
  const site = tar([['dist/site.json', Buffer.from(`${JSON.stringify({ base_url: baseUrl })}\n`)]]);
  return gzip(Buffer.concat([gunzipSync(bytes).subarray(0, -2 * TAR_BLOCK), site]));
}

/** Stored, not deflated: versions of zlib deflate differently. Responses are compressed on their way. */
function gzip(content) {
  const bytes = gzipSync(content, { level: 0 });
  // RFC 1952: the system that compressed; 255 is unknown.
  bytes[9] = 255;
  return bytes;
}

function tar(files) {
  const entries = files.flatMap(([name, contents]) => [
    tarHeader(`package/${name}`, contents.length),
    contents,
    Buffer.alloc(-contents.length & (TAR_BLOCK - 1)),
  ]);
  return Buffer.concat([...entries, Buffer.alloc(2 * TAR_BLOCK)]);
}

/** A number in octal digits, ended by a zero byte. */
function octal(value, width) {
  return `${value.toString(8).padStart(width - 1, '0')}\0`;
}

/** A header of POSIX ustar, for a file that nobody owns and that never changed. */
function tarHeader(name, size) {
  const block = Buffer.alloc(TAR_BLOCK);
  const fields = [name.padEnd(100, '\0'), octal(0o644, 8), octal(0, 8), octal(0, 8), octal(size, 12), octal(0, 12)];
  block.write(`${fields.join('')}        0`);
  block.write('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)} `, 148);
  return block;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { path, bytes } = await packTool(dirname(dirname(fileURLToPath(import.meta.url))));
  const [, , baseUrl] = process.argv;
  const served = join(dirname(path), 'upsilon.tgz');
  if (baseUrl !== undefined) writeFileSync(served, addSite(bytes, baseUrl));
  process.stdout.write(`${baseUrl === undefined ? path : served}\n`);
}
