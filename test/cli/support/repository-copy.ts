import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The packages that the tool is built with, with what they need. */
const PACKAGES = ['@esbuild', '@modelcontextprotocol', 'commander', 'esbuild', 'node-sqlite3-wasm', 'zod'];

/** Copies the repository, as a clone has it, and the packages that the tool is built with. */
export async function copyRepository(to: string): Promise<void> {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', 'cli', 'engine', 'config'];
  const { stdout } = await promisify(execFile)('git', list, { cwd: ROOT, maxBuffer: 16 * 1024 * 1024 });
  for (const path of [...stdout.split('\0'), 'LICENSE', 'package.json', 'package-lock.json']) {
    if (path === '') continue;
    await mkdir(dirname(join(to, path)), { recursive: true });
    await cp(join(ROOT, path), join(to, path));
  }
  for (const name of PACKAGES) {
    await cp(join(ROOT, 'node_modules', name), join(to, 'node_modules', name), { recursive: true });
  }
}
