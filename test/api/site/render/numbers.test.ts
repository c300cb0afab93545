import { expect } from 'chai';
import { showNumber } from '../../../../api/mcp/text.ts';
import { createResolver } from '../../../../api/site/render/addresses.ts';
import { movement, readable, readableScore } from '../../../../api/site/render/numbers.ts';
import { yieldText } from '../../../../cli/src/output/screen.ts';
import { CLASS_TIERS } from '../../../../engine/contract/tiers.ts';
import { TEST_SETTINGS } from '../../../support/api-context.ts';

const to = createResolver(TEST_SETTINGS, 'site');

describe('site: numbers', () => {
  for (const [value, words] of [
    [0, '0'],
    [1, '1'],
    [3490.4881, '3,490'],
    [20.9, '20.9'],
    [68.1234, '68.12'],
    [0.0042, '0.0042'],
    [0.099_999, '0.09999'],
    [99_999.999, '99,990'],
    [100_000, '100,000'],
    [123_456.7, '123,500'],
    [123_457, '123,457'],
    [1.25e12, '1.25 × 10¹²'],
    [2e300, '2 × 10³⁰⁰'],
    [5e-9, '5 × 10⁻⁹'],
  ] as const) {
    it(`writes ${value} as ${words}`, () => expect(readable(value)).to.equal(words));
  }

  for (const [value, words] of [
    [0, '0'],
    [160, '160'],
    [9_999.994, '9,999'],
    [79_971.43, '79,970'],
    [1_269_207_995, '1,269,000,000'],
    [3e12, '3 × 10¹²'],
    [0.0042, '0.0042'],
  ] as const) {
    it(`writes the score ${value} in a column as ${words}`, () => expect(readableScore(value)).to.equal(words));
  }

  it('shows no Yield as a tier that it does not reach', () => {
    for (const { from } of CLASS_TIERS.slice(1)) {
      for (let gap = from / 2; from - gap < from; gap /= 8) {
        const below = from - gap;
        for (const show of [readable, readableScore, showNumber, yieldText]) {
          expect(Number(show(below).replaceAll(',', '')), `${show.name} of ${below}`).to.be.below(from);
        }
      }
    }
  });

  it('tells movement by shape and by words', () => {
    for (const [places, className, shown, said] of [
      [3, 'up', '▲ 3', 'up 3'],
      [-1200, 'down', '▼ 1,200', 'down 1,200'],
      [0, 'still', '=', 'unchanged'],
      [null, 'still', '–', 'not ranked then'],
    ] as const) {
      expect(movement(places).markdown(to)).to.equal(shown);
      expect(String(movement(places).html(to))).to.equal(
        `<span class="${className}"><span aria-hidden="true">${shown}</span><span class="said">${said}</span></span>`,
      );
    }
  });
});
