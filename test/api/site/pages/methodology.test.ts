import { expect } from 'chai';
import { methodologyPage } from '../../../../api/site/pages/methodology.ts';
import { pageMarkdown } from '../../../../api/site/render/page-text.ts';
import { NEED_STEPS, RULE_SETS, RULES } from '../../../../engine/integrity/index.ts';
import { METHODOLOGIES } from '../../../../engine/ranking/methodologies/index.ts';

const ORIGIN = 'http://upsilon.test';
const ADDRESSES = {
  baseUrl: `${ORIGIN}/api/v1`,
  siteUrl: ORIGIN,
  loginUrl: ORIGIN,
  authUrl: ORIGIN,
};

/** The page of a methodology in Markdown. */
function pageOf(id: number): string {
  const page = methodologyPage(METHODOLOGIES.get(id)!);
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

  it('says what the floors are where there are any', () => {
    expect(pageOf(1)).not.to.include('The floors');
    expect(pageOf(2)).to.include('At least 10,000 tokens').and.to.include('one token in 100,000');
    expect(pageOf(3)).to.include('At least 1,000 tokens of input');
  });

  it('explains which rows are numbered before any table', () => {
    const page = pageOf(4);
    const [settled, table] = [page.indexOf('Who is numbered'), page.indexOf('\n|')];
    expect(settled).to.be.within(0, table);
    for (const { days, upTo } of NEED_STEPS.slice(1, -1)) expect(page).to.include(`${days} days up to ${upTo}`);
    expect(page).to.include('fewer than 5 witnessed days');
    expect(pageOf(3)).to.include('Everybody above the floors is numbered');
  });

  it('has every finding of its set with bound, sentence and calibration, and the reference', () => {
    const page = pageOf(4);
    const { bounds, calibration, reference } = RULE_SETS.get(2)!;
    for (const { name, sentence, measure } of RULES) {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\` `))!;
      expect(row, name).to.include(sentence);
      if (measure === null || measure === 'yield') continue;
      expect(row).to.include(bounds[measure].toLocaleString('en-US')).and.to.include(calibration[measure]);
    }
    for (const platform of Object.keys(reference!.platforms)) expect(page).to.include(`| ${platform} |`);
    expect(page).to.include('A plausible lie').and.to.include('nothing about a person');
    expect(page).to.include('public 72 hours later');
    expect(pageOf(1)).to.include('has no rules');
  });
});
