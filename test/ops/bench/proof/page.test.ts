import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { BENCHES } from '../../../../ops/bench/benches.ts';
import { type Figure, figure } from '../../../../ops/bench/frame/bench.ts';
import { renderPage } from '../../../../ops/bench/proof/page.ts';

const MAX_FIGURES = 25;
const PAGE = new URL('../../../../ops/docs/PROOF.md', import.meta.url);

const PARTS = ['reads', 'load'].map((name) => ({ name, method: `Measures ${name}.`, command: `bench ${name}` }));

const runOf = (...figures: readonly Figure[]) => ({
  figures,
  date: '2026-11-22T10:00:00.000Z',
  commit: 'abc1234',
  machine: 'a processor',
});

const reads = (ratio: number) => runOf(figure('leaderboard', 52_436, '/s', { ratio, peer: 'of bare', atLeast: 0.7 }));

describe('the page of the proof', () => {
  it('shows the figures of each part with its method, command and machine', () => {
    const page = renderPage('', PARTS, new Map([['reads', reads(0.93)]]));
    expect(page).to.include(
      '## reads\n\nMeasures reads.\n\n`bench reads`, 2026-11-22, at abc1234, on a processor.\n\n' +
        '| figure | value | ratio | limit |  |\n|---|--:|---|--:|---|\n' +
        '| leaderboard | 52,400 /s | 0.93 of bare | ≥ 0.7 | met |\n',
    );
    expect(page).to.include('## load\n\nMeasures load.\n\nNot measured yet: `bench load`.');
  });

  it('keeps the sections of parts that were not measured again', () => {
    const former = renderPage('', PARTS, new Map([['reads', reads(0.93)]]));
    expect(renderPage(former, PARTS, new Map())).to.equal(former);
    const page = renderPage(former, PARTS, new Map([['load', runOf(figure('verdict', 300, 'ms', { atMost: 250 }))]]));
    expect(page).to.include('0.93 of bare').and.to.include('| verdict | 300 ms |  | ≤ 250 | MISSED |');
    expect(renderPage(page, PARTS, new Map([['reads', reads(0.5)]])))
      .to.include('0.5 of bare')
      .and.to.include('| verdict');
  });

  it('has few figures, and a section of each bench', () => {
    const page = readFileSync(PAGE, 'utf8');
    const benches = page.replace(/\n## drills\n[^]*?(?=\n## |$)/, '');
    expect(benches.length).to.be.below(page.length);
    const rows = benches.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| figure |'));
    expect(rows.length).to.be.within(1, MAX_FIGURES);
    for (const { name } of BENCHES) expect(page).to.include(`\n## ${name}\n`);
  });
});
