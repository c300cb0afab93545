import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

/**
 * A process of the service with a profiler: `profiled-main.ts FILE PROGRAM`. SIGUSR2 starts a CPU profile, and the next one
 * writes it to the file.
 */
const [, , file = '', program = ''] = process.argv;

/** Microseconds between samples. */
const SAMPLING_INTERVAL_US = 500;

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.setSamplingInterval', { interval: SAMPLING_INTERVAL_US });
let running = false;
process.on('SIGUSR2', () => {
  if (running) session.post('Profiler.stop', (_, result) => writeFileSync(file, JSON.stringify(result.profile)));
  else session.post('Profiler.start');
  running = !running;
});
await import(program);
