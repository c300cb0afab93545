/** The program of the worker thread that draws: an SVG in, a PNG out; null where it cannot be drawn. `workerData`: options of resvg. */
import { parentPort, workerData } from 'node:worker_threads';
import resvg from '@resvg/resvg-js';

parentPort.on('message', (svg) => parentPort.postMessage(draw(svg)));

function draw(svg) {
  try {
    return new resvg.Resvg(svg, workerData).render().asPng();
  } catch {
    return null;
  }
}
