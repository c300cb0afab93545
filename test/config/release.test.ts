import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { RELEASE } from '../../config/release.ts';

describe('the release', () => {
  it('is that of package.json', () => {
    expect(JSON.parse(readFileSync('package.json', 'utf8'))).to.include({ version: RELEASE });
  });
});
