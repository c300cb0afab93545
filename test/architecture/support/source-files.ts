import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSource, type SourceFile } from './source-file.ts';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The folders with the project's code. */
export const FOLDERS = ['api', 'cli', 'config', 'engine', 'ops', 'test', 'workers'] as const;

/** Third-party code, build output and data. */
const LEFT_OUT = /(^|\/)(node_modules|cli\/dist|test\/fixtures)(\/|$)/;

let parsed: ReadonlyMap<string, SourceFile> | null = null;

/** Every source file of the project, parsed once per process, by path relative to the project's folder. */
export function sourceFiles(): ReadonlyMap<string, SourceFile> {
  parsed ??= parseSources();
  return parsed;
}

function parseSources(): ReadonlyMap<string, SourceFile> {
  const files = new Map<string, SourceFile>();
  for (const folder of FOLDERS) {
    for (const entry of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      const path = `${folder}/${entry}`;
      if (!/\.(ts|mts|js|mjs)$/.test(path) || LEFT_OUT.test(path)) continue;
      files.set(path, parseSource(path, readFileSync(join(ROOT, path), 'utf8')));
    }
  }
  return files;
}

/** The value of a JSON file of the project. */
export function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}
