import { expect } from 'chai';
import { lineChart } from '../../../api/charts/line-chart.ts';
import { HOUR_MS } from '../../../config/units.ts';

const NOON = Date.UTC(2026, 4, 4, 12);

/** The labels of the time axis of a chart between two moments, and where their middles are. */
function labelsOf(from: number, until: number): { label: string; x: number }[] {
  const points = [from, until].map((at) => ({ at, value: 1 }));
  const chart = lineChart({ id: 'a', title: 'a', description: 'a', series: [points], ranks: false });
  const texts = String(chart?.svg).matchAll(/<text x="([\d.]+)" y="\d+" text-anchor="middle">([^<]+)/g);
  return Array.from(texts, ([, x = '', label = '']) => ({ label, x: Number(x) }));
}

describe('site: the time axis of a chart', () => {
  it('keeps its last label within the picture, which is 380 wide', () => {
    const labels = labelsOf(NOON, NOON + 4 * HOUR_MS);
    expect(labels.map(({ label }) => label)).to.deep.equal(['12:00', '13:00', '14:00', '15:00', '16:00']);
    expect(labels.at(-1)?.x).to.be.at.most(380 - 24);
  });

  it('does not label two moments of one minute alike', () => {
    expect(labelsOf(NOON, NOON + 30_000).map(({ label }) => label)).to.deep.equal(['12:00']);
  });
});
