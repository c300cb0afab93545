import { expect } from 'chai';
import { CacheStore } from '../../../../api/http/fast-path/cache-store.ts';
import type { Representation } from '../../../../api/http/representation.ts';
import type { ReadyResult } from '../../../../api/http/route.ts';
import { getLeaderboard } from '../../../../api/v1/leaderboard/get-leaderboard.ts';

const SMALL = Buffer.from('{}');
const MEBIBYTE = Buffer.alloc(2 ** 20);

function answerOf(identity: Buffer, coded: Buffer | null = null): ReadyResult {
  const body: Representation = { mediaType: 'application/json', identity, gzip: coded, br: coded, tag: 'tag' };
  return { kind: 'ready', status: 200, body, board: 1 };
}

describe('api: what the response cache keeps', () => {
  let now = 0;
  let store: CacheStore;

  beforeEach(() => {
    now = 1_000;
    store = new CacheStore(() => now);
  });

  function keep(target: string, version: number, answer = answerOf(SMALL), forMs = Number.POSITIVE_INFINITY): void {
    store.keep(target, null, version, { route: getLeaderboard, policy: 'public', host: null, answer, forMs });
  }

  it('is of one board version', () => {
    keep('/a', 1);
    keep('/b', 1);
    expect([store.find('/a', null, 1) === undefined, store.find('/a', null, 2) === undefined]).to.deep.equal([
      false,
      true,
    ]);
    keep('/c', 2);
    expect(store.size).to.equal(1);
    expect(store.find('/a', null, 1)).to.equal(undefined);
  });

  it('grows old, and half way sends one to renew it', () => {
    keep('/a', 1, answerOf(SMALL), 1_000);
    for (const [at, found] of [
      [1_000, true],
      [1_499, true],
      [1_500, false],
      [1_500, true],
      [1_999, true],
      [2_000, false],
      [999, false],
    ] as const) {
      now = at;
      expect(store.find('/a', null, 1) !== undefined, `at ${at}`).to.equal(found);
    }
  });

  it('is bounded in number, the oldest making room', () => {
    const oldest = answerOf(SMALL);
    for (let index = 0; index < 20_005; index += 1) keep(`/${index}`, 1, index === 5 ? oldest : answerOf(SMALL));
    expect(store.size).to.equal(20_000);
    expect(store.find('/4', null, 1)).to.equal(undefined);
    expect(store.find('/5', null, 1)?.answer).to.equal(oldest);
  });

  it('is one for each form of a page, which go together', () => {
    const of = { route: getLeaderboard, policy: 'pages', host: null, forMs: Number.POSITIVE_INFINITY } as const;
    const [html, markdown] = [answerOf(SMALL), answerOf(SMALL)];
    store.keep('/', 'html', 1, { ...of, answer: html });
    store.keep('/', 'markdown', 1, { ...of, answer: markdown });
    expect([store.size, store.find('/', null, 1)]).to.deep.equal([2, undefined]);
    expect(store.find('/', 'html', 1)?.answer).to.equal(html);
    expect(store.find('/', 'markdown', 1)?.answer).to.equal(markdown);
    for (let index = 0; index < 19_998; index += 1) keep(`/${index}`, 1);
    expect(store.size).to.equal(20_000);
    keep('/last', 1);
    expect([store.size, store.find('/', 'html', 1), store.find('/', 'markdown', 1)]).to.deep.equal([
      19_999,
      undefined,
      undefined,
    ]);
  });

  it('is bounded in bytes, all encodings counted', () => {
    for (let index = 0; index < 40; index += 1) keep(`/${index}`, 1, answerOf(MEBIBYTE, MEBIBYTE));
    expect(store.size).to.equal(21);
    for (let index = 0; index < 10; index += 1) keep('/same', 1, answerOf(MEBIBYTE));
    expect(store.size).to.equal(21);
  });
});
