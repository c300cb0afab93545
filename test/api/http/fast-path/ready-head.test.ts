import { expect } from 'chai';
import { flatten, makeReadyHead } from '../../../../api/http/fast-path/ready-head.ts';

const HEADERS = {
  ETag: '"tag"',
  'Content-Length': '2',
  RateLimit: '"public";r=5;t=3',
  'RateLimit-Limit': '60',
  'RateLimit-Remaining': '5',
  'RateLimit-Reset': '3',
  'Access-Control-Allow-Origin': '*',
};

describe('api: a ready head', () => {
  it('is the text of the headers, cut where the quota is reported, without the length', () => {
    expect(makeReadyHead(429, flatten(HEADERS))).to.deep.include({
      status: 429,
      untilRateLimit: 'HTTP/1.1 429 Too Many Requests\r\nETag: "tag"\r\nRateLimit: ',
      untilRemaining: '\r\nRateLimit-Limit: 60\r\nRateLimit-Remaining: ',
      untilReset: '\r\nRateLimit-Reset: ',
      rest: '\r\nAccess-Control-Allow-Origin: *\r\n',
      length: ['Content-Length', '2'],
    });
  });

  for (const [name, headers] of [
    ['a value that begins a line of its own', { ...HEADERS, ETag: '"tag"\r\nSet-Cookie: a=b' }],
    ['a value beyond one byte a character', { ...HEADERS, ETag: '"ϒ"' }],
    ['a name that is none', { ...HEADERS, 'E Tag': '"tag"' }],
  ] as const) {
    it(`is not made of ${name}`, () => {
      expect(() => makeReadyHead(200, flatten(headers))).to.throw(TypeError);
    });
  }
});
