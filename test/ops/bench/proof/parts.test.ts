import { expect } from 'chai';
import { parseProofArguments } from '../../../../ops/bench/proof/parts.ts';

const parse = (...args: readonly string[]) => {
  const { mode, parts } = parseProofArguments(args);
  return { mode, parts: parts.map(({ name }) => name) };
};

describe('the arguments of the proof', () => {
  it('select all parts, or some in their fixed order', () => {
    expect(parse().parts).to.include.members(['reads', 'load', 'faults']);
    expect(parse('--only=load,reads', '--compare')).to.deep.equal({ mode: 'compare', parts: ['reads', 'load'] });
  });

  it('must be known', () => {
    expect(() => parse('--only=nothing')).to.throw('nothing: the parts are reads');
    expect(() => parse('--fast')).to.throw('--fast is none of');
  });
});
