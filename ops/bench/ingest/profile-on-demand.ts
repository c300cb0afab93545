import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

/** Microseconds between samples. */
const SAMPLING_INTERVAL_US = 500;

/** With a file name: SIGUSR2 starts a CPU profile of this process, and the next one writes it to that file. */
export function profileOnDemand(file: string | undefined): void {
  if (file === undefined) return;
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
}
