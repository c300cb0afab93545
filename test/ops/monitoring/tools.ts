import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { processEnvironment } from '../../../config/env.ts';
import { findOnPath } from '../../../ops/local/find-on-path.ts';

export const MONITORING = fileURLToPath(new URL('../../../ops/monitoring', import.meta.url));

const path = processEnvironment()['PATH'] ?? '';

/** Paths of the programs of the Debian packages prometheus, -alertmanager and -blackbox-exporter; null when not installed. */
export const PROMTOOL = await findOnPath(['promtool'], path);
export const PROMETHEUS = await findOnPath(['prometheus'], path);
export const ALERTMANAGER = await findOnPath(['prometheus-alertmanager'], path);
export const BLACKBOX = await findOnPath(['prometheus-blackbox-exporter'], path);

/** Runs a program; returns its status and its output. */
export function runTool(program: string, args: readonly string[]): Promise<{ status: number; printed: string }> {
  return new Promise((resolve) => {
    const child = execFile(program, args, (_error, stdout, stderr) =>
      resolve({ status: child.exitCode ?? -1, printed: `${stdout}\n${stderr}` }),
    );
  });
}
