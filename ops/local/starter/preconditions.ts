import { access, constants, mkdir } from 'node:fs/promises';
import type { Config } from '../../../config/config.ts';
import { portProblem } from '../free-port.ts';
import { StartProblem } from './start-problem.ts';

/** Makes the data folder, which is for this user alone. */
export async function prepareDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new StartProblem(
      `The data folder ${dataDir} cannot be used (${code}). Set DATA_DIR to a folder that this user may write to.`,
    );
  }
}

/** Looks, before anything is started, whether every port that will be asked for can be had. */
export async function requirePorts(config: Config): Promise<void> {
  const wanted = [
    { setting: 'PORT', port: config.port },
    { setting: 'METRICS_PORT', port: config.metricsPort },
    ...Array.from({ length: config.workers }, (_, number) => ({
      setting: 'METRICS_PORT (the workers use those after it)',
      port: config.metricsPort + number + 1,
    })),
  ];
  const problems: string[] = [];
  for (const { setting, port } of wanted) {
    const problem = await portProblem(config.host, port);
    if (problem !== null)
      problems.push(`  - port ${port} of ${config.host} ${inWords(problem)}; set ${setting} to another`);
  }
  if (problems.length > 0) throw new StartProblem(`Upsilon cannot listen:\n${problems.join('\n')}`);
}

function inWords(code: string): string {
  if (code === 'EADDRINUSE') return 'is taken by another process';
  if (code === 'EACCES') return 'is not for this user to listen on';
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return 'is not an address of this machine (HOST)';
  return `cannot be listened on (${code})`;
}
