import { expect } from 'chai';
import { sourceFiles } from './support/source-files.ts';

const MAX_FILE_LINES = 400;
const MAX_FUNCTION_LINES = 70;

/** The body of a suite does not count as a function. */
const SUITES: ReadonlySet<string | null> = new Set(['describe']);

const files = [...sourceFiles().values()];

describe('sizes', () => {
  it('are measured', () => {
    expect(files.length).to.be.above(100);
    expect(files.flatMap((file) => file.functions).length).to.be.above(files.length);
  });

  it(`of files are at most ${MAX_FILE_LINES} lines`, () => {
    const long = files.filter((file) => file.lines > MAX_FILE_LINES).map((file) => `${file.path}: ${file.lines}`);
    expect(long).to.deep.equal([]);
  });

  it(`of functions are at most ${MAX_FUNCTION_LINES} lines`, () => {
    const long = files.flatMap((file) =>
      file.functions
        .filter(({ lines, passedTo }) => lines > MAX_FUNCTION_LINES && !SUITES.has(passedTo))
        .map(({ line, lines }) => `${file.path}:${line}: ${lines}`),
    );
    expect(long).to.deep.equal([]);
  });
});
