import { expect } from 'chai';
import { methodologyPage } from '../../../../api/site/pages/methodology.ts';
import { pageMarkdown } from '../../../../api/site/render/page-text.ts';
import type { BoardOverview } from '../../../../engine/ranking/index.ts';
import { METHODOLOGIES } from '../../../../engine/ranking/methodologies/index.ts';

const VIEW: BoardOverview = {
  version: 1,
  methodology: 1,
  generatedAt: 0,
  hourBeganAt: 0,
  totals: { all_time: 0, '7d': 0, '30d': 0, '90d': 0 },
  topEntries: { all_time: [], '7d': [], '30d': [], '90d': [] },
};

const ORIGIN = 'http://upsilon.test';
const ADDRESSES = { baseUrl: `${ORIGIN}/api/v1`, siteUrl: ORIGIN, loginUrl: ORIGIN, authUrl: ORIGIN, issuer: ORIGIN };

/** The page of a methodology in Markdown. */
function pageOf(id: number): string {
  const page = methodologyPage(METHODOLOGIES.get(id)!, VIEW, { typed: {}, rank: null });
  return pageMarkdown(page, ADDRESSES);
}

describe('the methodology page', () => {
  it('explains every methodology there is, by its own data', () => {
    for (const [id, { tiers, notes }] of METHODOLOGIES) {
      const page = pageOf(id);
      expect(page).to.include(`Methodology ${id}, which made`).and.to.include(notes.slice(-40));
      for (const { name } of tiers) expect(page).to.include(name);
    }
  });

  it('says who is ranked where that is asked', () => {
    expect(pageOf(1)).not.to.include('Who is ranked');
    expect(pageOf(2)).to.include('Who is ranked');
    expect(pageOf(2)).to.include('At least 10,000 tokens').and.to.include('one token in 100,000');
  });
});
