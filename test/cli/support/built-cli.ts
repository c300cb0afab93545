import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const BUILD = fileURLToPath(new URL('../../../cli/build.mjs', import.meta.url));

let built: Promise<string> | null = null;

/** The tool as it is published, built once for a test run; returns the path of its program. */
export function builtCli(): Promise<string> {
  built ??= build();
  return built;
}

async function build(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'upsilon-cli-build-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await promisify(execFile)(process.execPath, [BUILD, join(folder, 'dist')]);
  return join(folder, 'dist', 'main.js');
}
