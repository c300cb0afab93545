/** The program of the worker thread that draws: an SVG in, a PNG out; null where it cannot be drawn. `workerData`: options of resvg. */
import { parentPort, workerData } from 'node:worker_threads';
import resvg from '@resvg/resvg-js';

const NEVER = new Int32Array(new SharedArrayBuffer(4));

parentPort.on('message', (svg) => {
  const beganAt = performance.now();
  parentPort.postMessage(draw(svg));
  // At most a third of one core, however many pictures are asked for.
  Atomics.wait(NEVER, 0, 0, 2 * (performance.now() - beganAt));
});

function draw(svg) {
  try {
    return new resvg.Resvg(svg, workerData).render().asPng();
  } catch {
    return null;
  }
}
