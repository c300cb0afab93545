import { stopTestEngines } from './engines.ts';

/** How long after the last test this process may live, in milliseconds: what holds it longer was left open by a test. */
const LEFT_OPEN_AFTER_MS = 10_000;

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
  }, LEFT_OPEN_AFTER_MS).unref();
}

async function abandon(): Promise<void> {
  await stopTestEngines();
  process.exit(130);
}
