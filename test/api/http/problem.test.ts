import { expect } from 'chai';
import { instancePrefix } from '../../../api/http/problem.ts';

describe('api: instances of problems', () => {
  it('begin with a random UUID as one of version 8, whatever digits it has', () => {
    expect(instancePrefix('4c3e7904-4abc-4def-8123-456789abcdef')).to.equal('urn:uuid:4c3e7904-4abc-8def-8123-');
  });

  it('begin otherwise in each process', () => {
    expect(instancePrefix()).not.to.equal(instancePrefix());
  });
});
