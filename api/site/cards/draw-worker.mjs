/** The program of the worker thread that draws: an SVG in, a PNG of 1200 × 630 pixels out; null where it cannot be drawn. */
import { parentPort, workerData } from 'node:worker_threads';
import resvg from '@resvg/resvg-js';

const { fontFiles, width } = workerData;
const options = {
  fitTo: { mode: 'width', value: width },
  font: { fontFiles, loadSystemFonts: false, defaultFontFamily: 'Inter' },
};

parentPort.on('message', ({ id, svg }) => parentPort.postMessage({ id, png: draw(svg) }));

function draw(svg) {
  try {
    return new resvg.Resvg(svg, options).render().asPng();
  } catch {
    return null;
  }
}
