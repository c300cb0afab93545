import { setInterval } from 'node:timers';
import { runHost } from '../../../ops/local/process/host.ts';

/** An engine without a server: it lives until it is closed, and prints that it was. */
const alive = setInterval(() => {}, 60_000);

await runHost(async () => ({
  details: {},
  close: async () => {
    clearInterval(alive);
    process.stdout.write('closed\n');
  },
}));
