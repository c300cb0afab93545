import { expect } from 'chai';
import { checkMethodologies } from '../../../../engine/ranking/methodologies/check-methodologies.ts';
import { FIRST_METHODOLOGY, METHODOLOGIES, type Methodology } from '../../../../engine/ranking/methodologies/index.ts';

const first = METHODOLOGIES.get(FIRST_METHODOLOGY)!;

/** A first methodology that differs in what it is given, be that possible or not. */
function altered(change: object): readonly Methodology[] {
  return [{ ...first, ...change }];
}

describe('checkMethodologies', () => {
  it('takes the product’s own, the first of which makes the first board', () => {
    expect([...METHODOLOGIES.keys()]).to.deep.equal([1, 2]);
    expect([...checkMethodologies([...METHODOLOGIES.values()])]).to.deep.equal([...METHODOLOGIES]);
    expect(first.eligibility).to.deep.equal({ minimum_tokens: 0, minimum_input_share: 0 });
  });

  const refused: readonly [what: string, given: readonly Methodology[], says: RegExp][] = [
    ['nothing at all', [], /there must be a methodology/],
    ['a number that comes twice', [first, first], /methodology 1 stands where 2 should/],
    ['a gap between numbers', [first, { ...first, id: 3 }], /methodology 3 stands where 2 should/],
    ['a number that is none', altered({ id: 1.5 }), /id/],
    ['a formula that is not known', altered({ formula: 'yield-0' }), /formula/],
    ['no tiers', altered({ tiers: [] }), /tiers/],
    ['tiers that start above 0', altered({ tiers: [{ name: 'BASE', from: 1 }] }), /must start at 0/],
    ['tiers that do not ascend', altered({ tiers: [0, 2, 2].map((from) => ({ name: `T${from}`, from })) }), /ascend/],
    ['tiers of one name', altered({ tiers: [0, 2].map((from) => ({ name: 'BASE', from })) }), /different names/],
    ['a tier at infinity', altered({ tiers: [{ name: 'BASE', from: Infinity }] }), /tiers/],
    ['negative tokens', altered({ eligibility: { ...first.eligibility, minimum_tokens: -1 } }), /minimum_tokens/],
    ['a share of the whole', altered({ eligibility: { ...first.eligibility, minimum_input_share: 1 } }), /input_share/],
    ['a condition that nobody knows', altered({ eligibility: { ...first.eligibility, luck: 1 } }), /luck/],
    ['no notes', altered({ notes: '' }), /notes/],
  ];
  for (const [what, given, says] of refused) {
    it(`refuses ${what}`, () => expect(() => checkMethodologies(given)).to.throw(says));
  }

  it('tells every problem at once', () => {
    expect(() => checkMethodologies(altered({ notes: '', formula: 'yield-0' }))).to.throw(
      /formula[\s\S]*notes|notes[\s\S]*formula/,
    );
  });
});
