import { expect } from 'chai';
import { checkMethodologies } from '../../../../engine/ranking/methodologies/check-methodologies.ts';
import { FIRST_METHODOLOGY, METHODOLOGIES, type Methodology } from '../../../../engine/ranking/methodologies/index.ts';

const first = METHODOLOGIES.get(1)!;

/** The first methodology with a change, valid or not. */
function altered(change: object): readonly Methodology[] {
  return [{ ...first, ...change }];
}

describe('checkMethodologies', () => {
  it('accepts the product’s methodologies, the first of which is that of the first board', () => {
    expect(FIRST_METHODOLOGY).to.equal(4);
    expect([...checkMethodologies([...METHODOLOGIES.values()])]).to.deep.equal([...METHODOLOGIES]);
    expect(first.eligibility).to.deep.equal({ minimum_tokens: 0, minimum_input: 0, minimum_input_share: 0 });
  });

  const refused: readonly [what: string, given: readonly Methodology[], message: RegExp][] = [
    ['an empty list', [], /there must be a methodology/],
    ['a duplicate number', [first, first], /methodology 1 is in the place of 2/],
    ['a gap between numbers', [first, { ...first, id: 3 }], /methodology 3 is in the place of 2/],
    ['a fractional number', altered({ id: 1.5 }), /id/],
    ['an unknown formula', altered({ formula: 'yield-0' }), /formula/],
    ['no tiers', altered({ tiers: [] }), /tiers/],
    ['tiers that start above 0', altered({ tiers: [{ name: 'BASE', from: 1 }] }), /must start at 0/],
    ['tiers that do not ascend', altered({ tiers: [0, 2, 2].map((from) => ({ name: `T${from}`, from })) }), /ascend/],
    ['tiers with the same name', altered({ tiers: [0, 2].map((from) => ({ name: 'BASE', from })) }), /different names/],
    ['a tier at infinity', altered({ tiers: [{ name: 'BASE', from: Infinity }] }), /tiers/],
    ['negative tokens', altered({ eligibility: { ...first.eligibility, minimum_tokens: -1 } }), /minimum_tokens/],
    ['a share of 1', altered({ eligibility: { ...first.eligibility, minimum_input_share: 1 } }), /input_share/],
    ['an unknown condition', altered({ eligibility: { ...first.eligibility, luck: 1 } }), /luck/],
    ['no notes', altered({ notes: '' }), /notes/],
  ];
  for (const [what, given, message] of refused) {
    it(`rejects ${what}`, () => expect(() => checkMethodologies(given)).to.throw(message));
  }

  it('reports all problems in one error', () => {
    expect(() => checkMethodologies(altered({ notes: '', formula: 'yield-0' }))).to.throw(
      /formula[\s\S]*notes|notes[\s\S]*formula/,
    );
  });
});
