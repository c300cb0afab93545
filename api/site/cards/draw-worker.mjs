/** The program of the worker thread that draws: an SVG in, a PNG out; null where it cannot be drawn. `workerData`: options of resvg. */
import { parentPort, workerData } from 'node:worker_threads';
import resvg from '@resvg/resvg-js';

const NEVER = new Int32Array(new SharedArrayBuffer(4));

parentPort.on('message', (svg) => {
  const beganAt = performance.now();
  let png = null;
  try {
    png = new resvg.Resvg(svg, workerData).render().asPng();
  } catch {
    // The static picture is sent.
  }
  parentPort.postMessage(png);
  // At most a third of one core, however many pictures are asked for.
  Atomics.wait(NEVER, 0, 0, 2 * (performance.now() - beganAt));
});
