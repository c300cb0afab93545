import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

/** Number of last output lines to include in an exit reason. */
const KEPT_LINES = 20;

/** Node's loader for TypeScript. */
const TYPESCRIPT_LOADER = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** How long to wait for the last output of an exited child, in milliseconds: a grandchild may hold the pipe open. */
const LAST_OUTPUT_MS = 300;

/** A child process to start. */
export interface ChildSpec {
  /** Name in messages, such as `api`. */
  readonly name: string;
  /** Absolute path of the entry file, TypeScript or JavaScript. */
  readonly entry: string;
  readonly args?: readonly string[];
  /** Arguments of Node. */
  readonly nodeArgs?: readonly string[];
  /** Where it answers with 200 while it lives. */
  readonly liveUrl?: string;
  /** The complete environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  /** Time limit for becoming ready. */
  readonly readyWithinMs: number;
  /** Time from SIGTERM until it is killed. */
  readonly stopWithinMs: number;
  /** `through`: inherits this process's output. `kept`: its last lines go into the exit reason. */
  readonly output: 'through' | 'kept';
  /** Whether it gets a separate process group, which Ctrl-C and signals to this group do not reach. */
  readonly ownGroup?: boolean;
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Text for people, with the last output when it is kept. */
  readonly reason: string;
}

/** A child that reported readiness. */
export type RunningChild = Awaited<ReturnType<typeof launch>>;

/**
 * Starts a process and waits until it reports readiness. The child also ends when this process is killed, because every
 * entry stops when its IPC channel closes.
 * @throws Error with the reason when the child exits, fails or exceeds the time limit.
 */
export async function launch(spec: ChildSpec) {
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
  /** Sends SIGTERM, kills it after `stopWithinMs`, and resolves when it has exited. */
  const stop = () => stopChild(child, exited, spec.stopWithinMs);
  try {
    /** The members of its `ready` message. */
    const details: Readonly<Record<string, unknown>> = await readiness(child, exited, spec);
    return {
      name: spec.name,
      pid: child.pid ?? 0,
      details,
      /** Resolves when the process has exited; never rejects. */
      exited,
      stop,
      /** Ends it at once. */
      kill: () => void child.kill('SIGKILL'),
    };
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
      const { data: message } = CHILD_MESSAGE.safeParse(value);
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

/** A message of a child process over IPC: that it serves, with details, or that it cannot serve and exits. */
const CHILD_MESSAGE = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('ready') }),
  z.object({ type: z.literal('failed'), reason: z.string() }),
]);
