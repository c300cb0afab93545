import { expect } from 'chai';
import { sourceFiles } from './support/source-files.ts';

describe('tests that do not run', () => {
  it('are skipped only by leaveOut, which CI counts', () => {
    const skipping = [...sourceFiles().values()]
      .filter(({ path, names }) => path.startsWith('test/') && [...names].some((name) => /\.(skip|only)$/.test(name)))
      .map(({ path }) => path);
    expect(skipping).to.deep.equal([]);
  });
});
