import { expect } from 'chai';
import { methodologyPage } from '../../../../api/site/pages/methodology.ts';
import { pageMarkdown } from '../../../../api/site/render/page-text.ts';
import { AGENT_TOKENS_AN_HOUR } from '../../../../engine/contract/agent-tokens.ts';
import { byWindow } from '../../../../engine/contract/index.ts';
import { boundFor, RULE_SETS, ruleNamed, THRESHOLDS } from '../../../../engine/integrity/index.ts';
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
    expect(pageOf(3)).to.include('At least 1,000 tokens of input').and.to.include('until its operator has 5 days');
    expect(pageOf(2)).to.include('At least 10,000 tokens').and.to.include('one token in 100,000');
  });

  it('has every rule of its set with bound, sentence and calibration, and says what cannot be caught', () => {
    const page = pageOf(3);
    for (const bound of RULE_SETS.get(1)!.bounds) {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${bound.rule}\` `))!;
      expect(row, bound.rule).to.include(ruleNamed(bound.rule).sentence);
      for (const platform of Object.keys(bound.platforms ?? {})) {
        expect(row).to.include(boundFor(bound, platform).toLocaleString('en-US')).and.to.include(platform);
      }
      expect(row).to.include(bound.calibration);
      expect(bound.calibration, 'no path, no code').to.not.match(/[/`]/);
    }
    expect(page).to.include('a plausible lie').and.to.include('nothing about a person');
    expect(page).to.include('public 72 hours later');
    expect(page).to.include('`review`');
    expect(pageOf(1)).to.include('has no rules');
  });

  it('states every number of the definitions of statistics', () => {
    const page = pageOf(3);
    for (const number of [...Object.values(THRESHOLDS), ...Object.values(AGENT_TOKENS_AN_HOUR)]) {
      const shown = number >= 1 ? number : number > 0.001 ? number * 100 : 1 / number;
      expect(page).to.match(new RegExp(`(?<![\\d,])${shown.toLocaleString('en-US')}(?![\\d,]\\d)`));
    }
    expect(page).to.include('gemini-cli, qwen-code, kimi)');
  });
});
