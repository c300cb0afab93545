import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { proofDocuments, readProof } from '../../../../ops/bench/proof/documents.ts';
import { failed, measured, resultsOf } from './sample-results.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const README = 'Before.\n<!-- figures: written by npm run proof -->\nold\n<!-- end of figures -->\nAfter.\n';

const cost = (wallMs: number) => [{ wallMs }];

const population = (operators: number, ms: number) => ({
  operators,
  commits: cost(ms),
  compactions: cost(ms * 10),
  garbageCollections: cost(ms / 2),
  committerBytes: 200 * 2 ** 20,
});

describe('the documents of the proof', () => {
  it('match the stored results (npm run proof -- --page writes them)', async () => {
    const { results, ...rest } = await readProof(ROOT);
    if (results === null) throw new Error('there are no stored results: npm run proof');
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
    const documents = proofDocuments(results, rest, readme);
    expect(documents.size).to.be.above(5);
    for (const [path, text] of documents) {
      expect(await readFile(join(ROOT, path), 'utf8'), path).to.equal(text);
    }
  });

  it('contain figures with their targets and results', () => {
    const results = resultsOf({
      reads: measured('npm run bench -- reads', { leaderboard: 0.93, 'warm profile': 0.7 }),
    });
    const documents = proofDocuments(results, { second: null, faults: null }, README);
    const page = documents.get('ops/docs/PROOF.md');
    expect(page).to.match(/\| reads: leaderboard \|.*\| 0\.93 \| 930 answers\/s \| ≥ 0\.9 \| 0\.95 \| met \|/);
    expect(page).to.match(/\| reads: warm profile \|.*\| 0\.7 \|.*\| ≥ 0\.8 \| 0\.9 \| \*\*missed\*\* \|/);
    expect(page).to.include('1 are met; 1 missed');
    expect(page).to.include('`npm run bench -- reads`, 2026-11-22 10:00 UTC, 90 s, at abc1234');
    const readme = documents.get('README.md');
    expect(readme).to.match(/^Before\.\n[^]*\| reads: leaderboard \|.*\| 0\.93 \|[^]*\nAfter\.\n$/);
    expect(readme).not.to.include('\nold\n');
  });

  it('contain failed parts and parts that were not run', () => {
    const results = resultsOf({ reads: failed('npm run bench -- reads', 'the api fell') });
    const page = proofDocuments(results, { second: null, faults: null }, README).get('ops/docs/PROOF.md');
    expect(page).to.match(/\| reads: leaderboard \|.*\| – \|.*\*\*failed\*\* \|/);
    expect(page).to.match(/\*\*failed\*\*\.\n\n```\nthe api fell\n```/);
    expect(page).to.match(/\| cold profile at 1M \|.*\*\*not measured\*\* \|/);
    expect(page).to.include('2 from failed parts');
  });

  it('have a curve for every measurement over growing populations', () => {
    const part = {
      ...measured('npm run bench -- commit', {}),
      details: { populations: [population(10_000, 20), population(1e6, 30)] },
    };
    const documents = proofDocuments(resultsOf({ commit: part }), { second: null, faults: null }, README);
    expect(documents.get('ops/docs/proof/growth.csv')).to.include(
      'commit,commit,10000,20,ms\ncommit,commit,1000000,30,ms',
    );
    const chart = documents.get('ops/docs/proof/commit.svg');
    expect(chart?.match(/<path /g)).to.have.length(2);
    expect(chart).to.include('>1M</text>').and.include('prefers-color-scheme: dark');
  });

  it('need the markers in README', () => {
    const results = resultsOf({});
    expect(() => proofDocuments(results, { second: null, faults: null }, 'nothing')).to.throw('has no markers');
  });
});
