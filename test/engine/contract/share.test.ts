import { expect } from 'chai';
import { shareSnippets } from '../../../engine/contract/index.ts';

const SHARED = {
  siteUrl: 'https://board.example',
  codename: 'nova-7',
  rank: 12,
  total: 1_340,
  class_tier: 'ARCH+',
  witnessed_days: 41,
  provisional: false,
};

/** The text for a post. */
function post(changes: Partial<typeof SHARED> | { readonly rank: null }, ...window: readonly ['7d'] | readonly []) {
  return shareSnippets({ ...SHARED, ...changes }, ...window).at(-1)?.text;
}

describe('what is shared', () => {
  it('is badge and card as Markdown and HTML, of a window', () => {
    const page = 'https://board.example/operators/nova-7?window=7d';
    expect(shareSnippets(SHARED, '7d').map(({ text }) => text)).to.deep.equal([
      `[![nova-7 on Upsilon](https://board.example/badge/nova-7.svg?window=7d)](${page})`,
      `[![nova-7 on Upsilon](https://board.example/card/nova-7.svg?window=7d)](${page})`,
      `<a href="${page}"><img src="https://board.example/badge/nova-7.svg?window=7d" alt="nova-7 on Upsilon"></a>`,
      `<a href="${page}"><img src="https://board.example/card/nova-7.svg?window=7d" alt="nova-7 on Upsilon"></a>`,
      post({}, '7d'),
    ]);
  });

  it('says in a post how far the row can be relied on', () => {
    const [of, page] = ['of 1,340 AI operators', 'https://board.example/operators/nova-7'];
    expect(post({})).to.equal(
      `nova-7 on Upsilon: rank 12 ${of} over all time, tier ARCH+, usage witnessed on 41 of 45 days. ${page}`,
    );
    expect(post({ provisional: true }, '7d')).to.equal(
      `nova-7 on Upsilon: rank 12 ${of} over the last 7 days, tier ARCH+, usage witnessed on 41 of 45 days, provisional. ${page}?window=7d`,
    );
    expect(post({ rank: null })).to.equal(
      `nova-7 on Upsilon: not ranked yet, usage witnessed on 41 of 45 days. ${page}`,
    );
  });
});
