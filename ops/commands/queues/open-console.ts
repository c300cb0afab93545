import { once } from 'node:events';
import type { CommandContext } from '../command-context.ts';
import { withQueues } from '../jobs/with-queues.ts';
import { startConsole } from './start-console.ts';

/** Serves the queue console until SIGINT or SIGTERM. */
export async function openConsole(
  context: CommandContext,
  { port, write }: { readonly port: number; readonly write?: boolean },
): Promise<void> {
  await withQueues(context, async (queues) => {
    const console = await startConsole({ queues, port, writable: write === true });
    context.print(`The console is open until Ctrl-C. Keep this address to yourself:\n${console.url}\n`);
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    await console.close();
  });
}
