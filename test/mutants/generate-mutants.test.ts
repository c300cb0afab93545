import { expect } from 'chai';
import { generateFaults } from './generate-mutants.ts';

const TEXT = `export async function move(from: number, to: number): Promise<boolean> {
  if (from < 0) throw new RangeError('below');
  await write(from, to, 'note');
  log.info('moved', from);
  return [1].some((one) => one > from) && to !== from;
}
export const isNear = (a: number): boolean => a <= 5;
export const listOf = (a: number): number[] => make(a, (b) => b);
`;

const madeIn = (...lines: number[]) => generateFaults('move.ts', TEXT, new Set(lines)).map(({ what }) => what);

describe('the faults that are made in a line', () => {
  it('are each of their kind, in that line alone', () => {
    expect(madeIn(2)).to.have.members([
      'from < 0 → true',
      'from < 0 → false',
      'from < 0 → from <= 0',
      "throw new RangeError('below'); → ;",
    ]);
    expect(madeIn(3)).to.have.members([
      "await write(from, to, 'note'); → ;",
      "await write(from, to, 'note') → write(from, to, 'note')",
      'from, to → to, from',
    ]);
    expect(madeIn(4)).to.deep.equal(["log.info('moved', from); → ;"]);
    expect(madeIn(5)).to.have.members([
      '[1].some((one) => one > from) && to !== from → true',
      '[1].some((one) => one > from) && to !== from → false',
      'one > from → one >= from',
    ]);
    expect(madeIn(7)).to.have.members(['a <= 5 → true', 'a <= 5 → false', 'a <= 5 → a < 5']);
    expect(madeIn(8)).to.deep.equal(['make(a, (b) => b) → null']);
    expect(madeIn(1, 6, 9)).to.deep.equal([]);
  });

  it('change the text in one place', () => {
    const made = generateFaults('move.ts', TEXT, new Set([4])).map(({ line, text }) => [line, text]);
    expect(made).to.deep.equal([[4, TEXT.replace("log.info('moved', from);", ';')]]);
  });
});
