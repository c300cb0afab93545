import { expect } from 'chai';
import { generateCodename } from '../../../../api/members/operator-maker.ts';

describe('a generated codename', () => {
  it('is a name of three syllables and a number of three digits', () => {
    for (let index = 0; index < 100; index += 1) expect(generateCodename()).to.match(/^[a-z]{6,10}-[1-9]\d{2}$/);
  });

  it('has no part that would offend', () => {
    // Choices of `pisala`, then of `babeba` and 100.
    const choices = [8, 2, 10, 0, 5, 0, 6, 0, 0, 0, 1, 0, 0, 6, 0];
    expect(generateCodename(() => choices.shift() ?? 0)).to.equal('babeba-100');
  });
});
