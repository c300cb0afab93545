import { expect } from 'chai';
import { sourceFiles } from './support/source-files.ts';

/** Lines at most of a file and of a function. Half of that is usual. */
const FILE_LINES_MAX = 400;
const FUNCTION_LINES_MAX = 70;

/** What a suite is made of is no function's length. */
const SUITES: ReadonlySet<string | null> = new Set(['describe']);

const files = [...sourceFiles().values()];

describe('sizes', () => {
  it('are measured', () => {
    expect(files.length).to.be.above(100);
    expect(files.flatMap((file) => file.functions).length).to.be.above(files.length);
  });

  it(`of files are at most ${FILE_LINES_MAX} lines`, () => {
    const long = files.filter((file) => file.lines > FILE_LINES_MAX).map((file) => `${file.path}: ${file.lines}`);
    expect(long).to.deep.equal([]);
  });

  it(`of functions are at most ${FUNCTION_LINES_MAX} lines`, () => {
    const long = files.flatMap((file) =>
      file.functions
        .filter(({ lines, handedTo }) => lines > FUNCTION_LINES_MAX && !SUITES.has(handedTo))
        .map(({ line, lines }) => `${file.path}:${line}: ${lines}`),
    );
    expect(long).to.deep.equal([]);
  });
});
