import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';

/** A process that is ready immediately or, if its folder has a file `slow`, when it also has a file `go`. */
const [, , folder = ''] = process.argv;
const LOOK_EVERY_MS = 5;

appendFileSync(join(folder, 'pids'), `${process.pid}\n`);
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
const slow = existsSync(join(folder, 'slow'));
const timer = setInterval(() => {
  if (slow && !existsSync(join(folder, 'go'))) return;
  clearInterval(timer);
  process.send?.({ type: 'ready' });
}, LOOK_EVERY_MS);
