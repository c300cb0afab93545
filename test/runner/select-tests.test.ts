import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { findTests, longestFirst, parseArguments, selectDependentTests } from './select-tests.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('npm test -- …', () => {
  it('separates patterns, its options and those of mocha', () => {
    expect(parseArguments(['test/cli', '-g', 'a b', '--changed=main', '--bail', 'test/{a,b}.test.ts'])).to.deep.equal({
      patterns: ['test/cli', 'test/{a,b}.test.ts'],
      changedSince: 'main',
      mocha: ['-g', 'a b', '--bail'],
    });
    expect(parseArguments(['--changed'])).to.include({ changedSince: 'HEAD' });
    expect(parseArguments([])).to.deep.equal({ patterns: [], changedSince: null, mocha: [] });
  });

  it('finds files, folders and globs with braces', () => {
    const files = ['test/runner/select-tests.test.ts'];
    for (const pattern of ['test/runner', 'test/runner/', files[0]!, 'test/runner/{select-tests,other}.test.ts']) {
      expect(findTests(ROOT, [pattern]), pattern).to.deep.equal(files);
    }
  });

  it('rejects every pattern that matches no file, also together with one that matches', () => {
    expect(() => findTests(ROOT, ['test/runner', 'test/nothing', 'test/{a,b}.test.ts'])).to.throw(
      'No test file matches test/nothing, test/{a,b}.test.ts',
    );
  });

  it('orders the longest first', () => {
    const durations = new Map([
      ['a', 10],
      ['b', 9_000],
    ]);
    expect(longestFirst(['a', 'b', 'unknown'], durations)).to.deep.equal(['b', 'unknown', 'a']);
    const unknown = ['test/api/a.test.ts', 'test/cli/program/d.test.ts', 'test/faults/b.test.ts', 'test/ops/c.test.ts'];
    expect(longestFirst(unknown, new Map())).to.deep.equal([unknown[2], unknown[1], unknown[3], unknown[0]]);
  });
});

describe('npm test -- --changed', () => {
  const importers = new Map([
    ['api/a.ts', ['test/api/near.test.ts', 'api/app.ts']],
    ['api/app.ts', ['test/api/far.test.ts', 'test/support/world.ts', 'api/a.ts']],
    ['test/support/world.ts', ['test/e2e/farthest.test.ts']],
  ]);
  const reaching = (changed: readonly string[], budgetMs: number, durations = new Map<string, number>()) =>
    selectDependentTests(changed, (file) => importers.get(file) ?? [], durations, budgetMs);

  it('selects every test that depends on a changed file, the nearest first', () => {
    expect(reaching(['api/a.ts'], 60_000)).to.deep.equal({
      chosen: ['test/api/near.test.ts', 'test/api/far.test.ts', 'test/e2e/farthest.test.ts'],
      further: [],
    });
  });

  it('omits the farthest when their time exceeds the budget', () => {
    const { chosen, further } = reaching(['api/a.ts'], 1_000, new Map([['test/api/near.test.ts', 900]]));
    expect(chosen).to.deep.equal(['test/api/near.test.ts']);
    expect(further).to.deep.equal(['test/api/far.test.ts', 'test/e2e/farthest.test.ts']);
  });

  it('always selects a changed test, and the mirror of a changed file', () => {
    const slow = new Map([
      ['test/e2e/farthest.test.ts', 99_000],
      ['test/api/far.test.ts', 99_000],
    ]);
    expect(reaching(['test/e2e/farthest.test.ts'], 1_000, slow).chosen).to.deep.equal(['test/e2e/farthest.test.ts']);
    importers.set('api/far.ts', ['api/app.ts']);
    expect(reaching(['api/far.ts'], 1_000, slow).chosen).to.include('test/api/far.test.ts');
  });
});
