import { expect } from 'chai';
import { securityText } from '../../../../api/site/agents/security-text.ts';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const CONTACT = 'mailto:security@upsilon.example';

describe('security.txt', () => {
  it('names each origin once, and none at which it could be changed on the way', () => {
    const text = securityText(
      CONTACT,
      {
        baseUrl: 'https://api.upsilon.example/api/v1',
        siteUrl: 'https://upsilon.example',
        loginUrl: 'https://upsilon.example',
        authUrl: 'http://localhost:3000',
      },
      NOW,
    );
    expect(text.split('\n')).to.deep.equal([
      `Contact: ${CONTACT}`,
      'Expires: 2026-08-28T00:00:00.000Z',
      'Preferred-Languages: en',
      'Canonical: https://upsilon.example/.well-known/security.txt',
      'Canonical: https://api.upsilon.example/.well-known/security.txt',
      '',
    ]);
  });
});
