import { expect } from 'chai';
import { againstCommit } from '../../../../ops/bench/frame/against.ts';
import { defineBench, figure, isMet } from '../../../../ops/bench/frame/bench.ts';
import { runBench } from '../../../../ops/bench/frame/run-bench.ts';
import { alternate } from '../../../../ops/bench/frame/statistics.ts';
import { figureCells } from '../../../../ops/bench/frame/text-table.ts';
import { THIS_TREE } from '../../../../ops/bench/frame/trees.ts';

async function value(size: 'full' | 'tiny', options: Record<string, number> = {}) {
  const given = new Map(Object.entries(options));
  const { figures } = await runBench(doubling, { size, options: given, isQuiet: true });
  return figures.map((one) => [one.value, isMet(one)]);
}

const doubling = defineBench({
  name: 'doubling',
  summary: '',
  method: '',
  options: { number: [100, 1] },
  run: async (_context, { number }) => [figure('doubled', number * 2, 'ms', { atMost: 10 })],
});

describe('a bench', () => {
  it('has the options of its size, or others that are given, and no unknown ones', async () => {
    expect(await value('full')).to.deep.equal([[200, false]]);
    expect(await value('tiny')).to.deep.equal([[2, true]]);
    expect(await value('full', { number: 3 })).to.deep.equal([[6, true]]);
    const refusal = await value('full', { numbers: 3 }).then(() => '', String);
    expect(refusal).to.include('doubling has no option numbers, only number');
  });

  it('measures in alternating order, each as often first as last', async () => {
    const order: string[] = [];
    const taken = await alternate(['A', 'B', 'C'], 6, async (name) => order.push(name));
    expect(order.join('')).to.equal('ABCCBABCAACBCABBAC');
    expect(taken.map((rounds) => rounds.length)).to.deep.equal([6, 6, 6]);
    expect(taken[0]!.slice(0, 3)).to.deep.equal([1, 6, 9]);
  });
});

describe('a figure', () => {
  it('is measured by its ratio where it has one, otherwise by its value', () => {
    expect(figureCells(figure('read', 52_436, '/s', { ratio: 0.699, peer: 'of bare', atLeast: 0.7 }))).to.deep.equal([
      'read',
      '52,400 /s',
      '0.699 of bare',
      '≥ 0.7',
      'MISSED',
    ]);
    expect(figureCells(figure('memory', 249.94, 'MiB', { atMost: 250 })).slice(1)).to.deep.equal([
      '250 MiB',
      '',
      '≤ 250',
      'met',
    ]);
    expect(isMet(figure('unknown', Number.NaN, 'ms', { atMost: 1 }))).to.equal(false);
    expect(isMet(figure('read', 1, '/s', { ratio: 2, peer: 'of bare' }))).to.equal(null);
  });

  it('is compared with the other commit by the median of the ratios of the rounds', () => {
    const trees = [THIS_TREE, { name: 'abcd1234', root: '' }] as const;
    const own = [10, 20, 60];
    expect(againstCommit({ trees }, 'start', 'ms', [own, [10, 10, 20]], { atMost: 1.1 })).to.deep.equal([
      figure('start, against abcd1234', 20, 'ms', { ratio: 2, peer: 'of abcd1234', atMost: 1.1 }),
    ]);
    expect(againstCommit({ trees: [THIS_TREE] }, 'start', 'ms', [own])).to.deep.equal([]);
  });
});
