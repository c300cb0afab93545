import { expect } from 'chai';
import { methodologyPage } from '../../../../api/site/pages/methodology.ts';
import { pageMarkdown } from '../../../../api/site/render/page-text.ts';
import { byWindow } from '../../../../engine/contract/index.ts';
import type { BoardOverview } from '../../../../engine/ranking/index.ts';
import { METHODOLOGIES } from '../../../../engine/ranking/methodologies/index.ts';

const VIEW: BoardOverview = {
  version: 1,
  methodology: 1,
  generatedAt: 0,
  hourBeganAt: 0,
  movementSince: { movement_24h_since: null, movement_7d_since: null },
  totals: byWindow(() => 0),
  topEntries: byWindow(() => []),
};

const ORIGIN = 'http://upsilon.test';
const ADDRESSES = {
  baseUrl: `${ORIGIN}/api/v1`,
  siteUrl: ORIGIN,
  loginUrl: ORIGIN,
  authUrl: ORIGIN,
  issuer: ORIGIN,
  jwksUrl: undefined,
};

/** The page of a methodology in Markdown. */
function pageOf(id: number): string {
  const page = methodologyPage(METHODOLOGIES.get(id)!, VIEW, { typed: {}, rank: null });
  return pageMarkdown(page, ADDRESSES);
}

describe('the methodology page', () => {
  it('explains every methodology there is, by its own data', () => {
    for (const [id, { tiers, notes }] of METHODOLOGIES) {
      const page = pageOf(id);
      expect(page).to.include(`Methodology ${id}, used for`).and.to.include(notes.slice(-40));
      for (const { name } of tiers) expect(page).to.include(name);
    }
  });

  it('says who is ranked where that is asked', () => {
    expect(pageOf(1)).not.to.include('Who is ranked');
    expect(pageOf(2)).to.include('Who is ranked');
    expect(pageOf(2)).to.include('At least 10,000 tokens').and.to.include('one token in 100,000');
  });
});
