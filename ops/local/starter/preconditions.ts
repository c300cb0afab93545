import { access, constants, mkdir } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../../../config/config.ts';
import { portProblem } from '../free-port.ts';

/** Nothing was started. The message is for people. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Creates the data folder, readable by this user only. */
export async function prepareDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const reason = code === 'EEXIST' ? 'it is a file' : code;
    throw new StartError(
      `The data folder ${dataDir} cannot be used (${reason}). Set DATA_DIR to a folder that this user may write to.`,
    );
  }
}

/** How often ports that are in use are tried again, in milliseconds. */
const PORT_INTERVAL_MS = 50;

/** Waits at most `withinMs` for ports of a run that was just killed. @throws StartError with all ports that are not free. */
export async function requirePorts(config: Config, withinMs = 0): Promise<void> {
  const until = performance.now() + withinMs;
  let problems = await portProblems(config);
  while (problems.length > 0 && performance.now() < until) {
    await pause(PORT_INTERVAL_MS);
    problems = await portProblems(config);
  }
  if (problems.length > 0) throw new StartError(`Upsilon cannot listen:\n${problems.join('\n')}`);
}

async function portProblems(config: Config): Promise<string[]> {
  const wanted = [
    { setting: 'PORT', port: config.port },
    { setting: 'METRICS_PORT', port: config.metricsPort },
    ...Array.from({ length: config.workers }, (_, number) => ({
      setting: 'METRICS_PORT (the workers use the ports after it)',
      port: config.metricsPort + number + 1,
    })),
  ];
  const problems: string[] = [];
  for (const { setting, port } of wanted) {
    const problem = await portProblem(config.host, port);
    if (problem !== null)
      problems.push(`  - port ${port} of ${config.host} ${problemText(problem)}; set ${setting} to another port`);
  }
  return problems;
}

function problemText(code: string): string {
  if (code === 'EADDRINUSE') return 'is in use by another process';
  if (code === 'EACCES') return 'needs more privileges than this user has';
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return 'is not an address of this machine (HOST)';
  return `cannot be opened (${code})`;
}
