import { setTimeout as pause } from 'node:timers/promises';
import { config } from 'chai';
import { configureGlobal } from 'fast-check';
import Mocha from 'mocha';
import { stopTestEngines } from './engines.ts';
import { runSeed } from './seeded-random.ts';

/** How long after its last test a file may keep resources open, in milliseconds. */
const CLOSED_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 5;

/** Types of resources that only tests open. */
const OPENED: ReadonlySet<string> = new Set([
  'TCPSocketWrap',
  'TCPServerWrap',
  'PipeWrap',
  'ProcessWrap',
  'Timeout',
  'FSEvent',
  'MessagePort',
]);

configureGlobal({ seed: runSeed() });
// Of chai's assertions, to find members that do not exist: the compiler does that, without a proxy for each assertion.
config.useProxy = false;

/** Mocha calls this before the first test. */
export function mochaGlobalSetup(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void abandon());
  if (process.connected) {
    process.once('disconnect', () => void abandon());
    process.channel?.unref();
  }
}

/** Mocha calls this after the last test. */
export async function mochaGlobalTeardown(): Promise<void> {
  await stopTestEngines();
  setTimeout(() => {
    process.stderr.write(`Tests left these open: ${process.getActiveResourcesInfo().join(', ')}\n`);
    process.exit(1);
  }, CLOSED_WITHIN_MS).unref();
}

let before: ReadonlyMap<string, number> = new Map();

/** Around each file where files run side by side, around the run where it is one process. */
export const mochaHooks = {
  async beforeAll(): Promise<void> {
    // Mocha times a hook that waits: its timer counts here as it does below.
    await pause(1);
    before = opened();
  },

  /** Prints the reason of a failure at once: of files side by side, the reporter hears when the file has ended. */
  afterEach(this: Mocha.Context): void {
    if (this.currentTest?.state === 'failed') Mocha.reporters.Base.list([this.currentTest]);
  },

  async afterAll(): Promise<void> {
    // Those that this process started for its own tests; shared ones belong to the process that runs the files.
    await stopTestEngines();
    const deadline = performance.now() + CLOSED_WITHIN_MS;
    for (;;) {
      await pause(LOOK_EVERY_MS);
      const left = [...opened()].filter(([name, count]) => count > (before.get(name) ?? 0)).map(([name]) => name);
      if (left.length === 0) return;
      if (performance.now() > deadline) throw new Error(`Tests left these open: ${left.join(', ')}`);
    }
  },
};

function opened(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) {
    if (OPENED.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

async function abandon(): Promise<void> {
  await stopTestEngines();
  process.exit(130);
}
