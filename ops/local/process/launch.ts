import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { asChildMessage } from './messages.ts';

/** Last lines of a child's output that are kept for the message about its end. */
const KEPT_LINES = 20;

/** What lets a node process run the TypeScript of this project. */
const TYPESCRIPT_LOADER = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** How long an ended child's last output is waited for, in milliseconds: a process that it left may hold the pipe. */
const LAST_OUTPUT_MS = 300;

/** A process to be started: an entry of this project, in TypeScript or JavaScript, or a fixture of a test. */
export interface ChildSpec {
  /** As people call it, such as `api`. */
  readonly name: string;
  /** Absolute path of the entry file. */
  readonly entry: string;
  readonly args?: readonly string[];
  /** Arguments of Node itself. */
  readonly nodeArgs?: readonly string[];
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  /** Time it may take until it is ready. */
  readonly readyWithinMs: number;
  /** Time it may take to end once asked; then it is killed. */
  readonly stopWithinMs: number;
  /** Where its output goes: through to ours, or kept (its last lines) for a message about its end. */
  readonly output: 'through' | 'kept';
  /** Its own process group, which a terminal's Ctrl-C and a kill of our group do not reach. */
  readonly ownGroup?: boolean;
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** In words, with the child's last words when they were kept. */
  readonly reason: string;
}

/** A child that said that it is ready. */
export interface RunningChild {
  readonly name: string;
  readonly pid: number;
  /** The members of its `ready` message. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Resolves when the process is gone; never rejects. */
  readonly exited: Promise<Exit>;
  /** Asks it to end, kills it when it takes too long, and resolves when it is gone. */
  stop(): Promise<Exit>;
}

/**
 * Starts a process and waits until it says that it is ready. The child ends when this process ends, however that
 * happens, because each of our entries stops when its IPC channel closes.
 *
 * @throws Error with the child's reason, when it ends or stays silent instead.
 */
export async function launch(spec: ChildSpec): Promise<RunningChild> {
  const loader = spec.entry.endsWith('.ts') ? ['--import', TYPESCRIPT_LOADER] : [];
  const nodeArgs = [...(spec.nodeArgs ?? []), ...loader];
  const child = spawn(process.execPath, [...nodeArgs, spec.entry, ...(spec.args ?? [])], {
    stdio: [
      'ignore',
      ...(spec.output === 'through' ? (['inherit', 'inherit'] as const) : (['pipe', 'pipe'] as const)),
      'ipc',
    ],
    env: spec.env,
    detached: spec.ownGroup ?? false,
  });
  const lines = keepLines(child);
  const exited = exitOf(child, lines);
  const stop = () => stopChild(child, exited, spec.stopWithinMs);
  try {
    const details = await readiness(child, exited, spec);
    return { name: spec.name, pid: child.pid ?? 0, details, exited, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function keepLines(child: ChildProcess): string[] {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
    });
  }
  return lines;
}

function exitOf(child: ChildProcess, lines: readonly string[]): Promise<Exit> {
  return new Promise((resolve) => {
    const ended = (code: number | null, signal: NodeJS.Signals | null, failure?: string) => {
      const how = failure ?? (signal === null ? `ended with status ${code}` : `was ended by ${signal}`);
      resolve({ code, signal, reason: [how, ...lines].join('\n    ') });
    };
    child.once('error', (error) => ended(null, null, `could not be started: ${error.message}`));
    child.once('exit', (code, signal) => {
      const timer = setTimeout(() => ended(code, signal), LAST_OUTPUT_MS);
      child.once('close', () => {
        clearTimeout(timer);
        ended(code, signal);
      });
    });
  });
}

function readiness(child: ChildProcess, exited: Promise<Exit>, spec: ChildSpec): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const tooLate = () => reject(new Error(`${spec.name} was not ready within ${spec.readyWithinMs / 1000} s`));
    const timer = setTimeout(tooLate, spec.readyWithinMs);
    child.on('message', (value) => {
      const message = asChildMessage(value);
      if (message?.type === 'failed') reject(new Error(`${spec.name}: ${message.reason}`));
      if (message?.type !== 'ready') return;
      clearTimeout(timer);
      resolve(message);
    });
    const endedFirst = (exit: Exit) => {
      clearTimeout(timer);
      reject(new Error(`${spec.name} ${exit.reason}`));
    };
    exited.then(endedFirst, reject);
  });
}

async function stopChild(child: ChildProcess, exited: Promise<Exit>, withinMs: number): Promise<Exit> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), withinMs);
  const exit = await exited;
  clearTimeout(timer);
  return exit;
}
