import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { processEnvironment } from '../../config/env.ts';

/** Official tools that need a newer Node than the service: a separate folder with packages and a Node. */
export const TOOLS_FOLDER = fileURLToPath(new URL('../../.ci/tools/', import.meta.url));

const NODE = `${TOOLS_FOLDER}node_modules/.bin/node`;

const PROGRAMS = {
  conformance: 'node_modules/@modelcontextprotocol/conformance/dist/index.js',
  lighthouse: 'node_modules/lighthouse/cli/index.js',
  'openapi-ts': 'node_modules/@hey-api/openapi-ts/bin/run.js',
} as const;

export type CiTool = keyof typeof PROGRAMS;

/** How a tool ended. */
export interface ToolEnd {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A running tool. */
export interface RunningTool {
  /** Its output so far, of both streams. */
  readonly said: () => string;
  readonly ended: Promise<ToolEnd>;
}

/** Whether a tool is there: `npm run tools` installs all of them. */
export function hasTool(name: CiTool): boolean {
  return existsSync(NODE) && existsSync(`${TOOLS_FOLDER}${PROGRAMS[name]}`);
}

/** Starts a tool. `variables` are added to the environment. */
export function startTool(
  name: CiTool,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): RunningTool {
  const child = spawn(NODE, [`${TOOLS_FOLDER}${PROGRAMS[name]}`, ...args], {
    cwd: TOOLS_FOLDER,
    env: { ...processEnvironment(), ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => void (out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => void (err += part));
  return {
    said: () => out + err,
    ended: new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, out, err }));
    }),
  };
}
