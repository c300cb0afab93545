import { expect } from 'chai';
import { DAY_MS } from '../../../../config/units.ts';
import { REPORTED_RULE, REVIEW_RULE, type Review, seenOf } from '../../../../engine/accounts/index.ts';
import { METHODOLOGIES } from '../../../../engine/ranking/methodologies/index.ts';
import { MODERATOR, openFlaggedField } from '../../../support/flagged-field.ts';
import type { TestApi } from '../../../support/test-api.ts';

const HTML = { accept: 'text/html' };
const MARKDOWN = { accept: 'text/markdown' };
const JSON_FORM = { accept: 'application/json' };
const DELAY_MS = 3 * DAY_MS;

describe('site: evidence', () => {
  let test: TestApi;

  beforeEach(async () => {
    test = await openFlaggedField();
  });

  afterEach(() => test[Symbol.asyncDispose]());

  const numberOf = async (codename: string): Promise<number> => (await test.ranking.operators.find(codename))!.operator;
  const pageOf = (codename: string, rule: string, headers = HTML) =>
    test.get(`/operators/${codename}/integrity/${rule}`, headers);
  const openCase = async (rule: string): Promise<string> => {
    const operator = await numberOf('flagged-row');
    await test.accounts.cases.open([{ operator, rule, severity: 'flag', boardVersion: 1 }]);
    return `${operator}/${rule}`;
  };
  const decide = async (id: string, action: 'void' | 'exclude' | 'restore' | 'hide_answer') => {
    const by = await numberOf(MODERATOR);
    await test.accounts.setModerator(by, true);
    const found = (await test.accounts.cases.find(id))!;
    const apply = (operator: number, review: Review) => test.ranking.operators.applyReview(operator, review);
    const decision = { id, by, action, reason: 'Checked.', seen: seenOf(found), client: null };
    expect(await test.accounts.cases.decide(decision, apply)).to.equal('decided');
    await test.publish();
  };

  it('of a flag is public 72 hours after its case was opened, and the same in every form', async () => {
    expect((await pageOf('flagged-row', 'unusual-leverage')).status).to.equal(404);
    await openCase('unusual-leverage');
    const early = await pageOf('flagged-row', 'unusual-leverage');
    expect(early.status).to.equal(404);
    expect(early.text).to.include('Page not found').and.to.include('Methodology');
    const waiting = (await test.get('/operators/flagged-row', HTML)).text;
    expect(waiting).to.include('flag: unusual leverage').and.to.include('The evidence is public from');
    expect(waiting).to.not.include('/integrity/unusual-leverage');
    test.now += DELAY_MS;
    const shown = await pageOf('flagged-row', 'unusual-leverage');
    expect(shown.status).to.equal(200);
    expect(shown.headers.get('x-robots-tag')).to.equal('noindex');
    expect(shown.text).to.include('<meta name="robots" content="noindex">');
    const { text, headers } = await pageOf('flagged-row', 'unusual-leverage', JSON_FORM);
    const json = JSON.parse(text);
    expect(headers.get('x-robots-tag')).to.equal('noindex');
    const explained = (await test.ranking.operators.explain('flagged-row'))!;
    expect(json.evidence).to.deep.equal(explained.evidence.filter(({ rule }) => rule === 'unusual-leverage'));
    expect(json).to.include({ board_version: explained.board_version, methodology: 3, severity: 'flag', answer: null });
    const [{ ratio, measured, bound }] = json.evidence;
    expect(measured).to.equal(10_000);
    expect(ratio).to.equal(measured / bound);
    const markdown = (await pageOf('flagged-row', 'unusual-leverage', MARKDOWN)).text;
    for (const page of [shown.text, markdown]) expect(page).to.include('10,000').and.to.include(json.sentence);
    expect((await test.get('/operators/flagged-row', HTML)).text).to.include('/integrity/unusual-leverage');
    expect((await test.get('/sitemap.xml')).text).to.not.include('/integrity/');
  });

  it('shows the answer of the operator as plain text, unless a moderator hid it', async () => {
    const id = await openCase('unusual-leverage');
    test.now += DELAY_MS;
    await test.accounts.cases.setAnswer(id, 'A cache of <b>one</b> large document.');
    const answered = (await pageOf('flagged-row', 'unusual-leverage')).text;
    expect(answered).to.include('A cache of &lt;b&gt;one&lt;/b&gt; large document.');
    await decide(id, 'hide_answer');
    expect((await pageOf('flagged-row', 'unusual-leverage')).text).to.not.include('large document');
    expect((await pageOf('flagged-row', 'unusual-leverage', JSON_FORM)).json).to.include({ answer: null });
  });

  it('is gone when the case is void, and shown while a review holds it', async () => {
    const id = await openCase('unusual-leverage');
    test.now += DELAY_MS;
    await decide(id, 'void');
    expect((await pageOf('flagged-row', 'unusual-leverage')).status).to.equal(404);
    await decide(id, 'exclude');
    const excluded = (await pageOf('flagged-row', 'unusual-leverage')).text;
    expect(excluded).to.include('A moderator excluded the row on').and.include('Appeal on the account page');
    const review = await pageOf('flagged-row', 'review');
    expect(review.text).to.include('<code>unusual-leverage</code>, since board version 1').and.include('10,000');
    expect(review.text, 'the reason').to.not.include('Checked.');
    expect((await pageOf('flagged-row', 'review', JSON_FORM)).json?.['review']).to.deep.equal({
      decided_at: new Date(test.now).toISOString(),
      grounds: 'unusual-leverage',
      board_version: 1,
    });
    await decide(id, 'restore');
    expect((await pageOf('flagged-row', 'review')).status).to.equal(404);
    expect((await pageOf('flagged-row', 'unusual-leverage')).status).to.equal(200);
  });

  it('of a review after reports has its date and what to do, neither the reason nor who reported', async () => {
    const [reporter, operator] = [await numberOf('small-row'), await numberOf('plain-row')];
    await test.accounts.cases.report({ reporter, operator, reason: 'counts', boardVersion: 4 });
    await decide(`${operator}/reported`, 'exclude');
    const { status, text } = await pageOf('plain-row', 'review');
    expect(status).to.equal(200);
    expect(text).to.include('A moderator excluded the row on').and.include('reports of the row, since board version 4');
    expect(text).to.include('The operator reads the reason on its account page.');
    expect(text).to.include('Appeal on the account page').and.not.include('Checked.').and.not.include('small-row');
    expect(text).to.include('excluded from every board').and.not.include('each window below');
    expect(text).to.include('A moderator judges how plausible').and.not.include('A rule compares numbers');
    // A review of the same row that a moderator opened, and one that it voided, change nothing.
    await test.accounts.cases.open([{ operator, rule: REVIEW_RULE, severity: 'note', boardVersion: 4 }]);
    expect((await pageOf('plain-row', 'review')).text).to.include('since board version 4');
    await decide(`${operator}/${REVIEW_RULE}`, 'void');
    expect((await pageOf('plain-row', 'review')).text).to.include('since board version 4');
    await decide(`${operator}/${REPORTED_RULE}`, 'restore');
    expect((await pageOf('plain-row', 'review')).status).to.equal(404);
  });

  it('of an excluded row is public at once, and its page says why', async () => {
    const { text } = await test.get('/operators/absurd-row', HTML);
    expect(text).to.include('<strong>Excluded</strong> over all time, because the counts are not plausible');
    expect(text).to.include('/operators/absurd-row/integrity/output-beyond-response');
    const page = await pageOf('absurd-row', 'output-beyond-response');
    expect(page.status).to.equal(200);
    expect(page.text).to.include('There is more output for each input token than a response can have.');
    expect((await test.get('/', HTML)).text).to.not.include('absurd-row');
  });

  it('of a finding about streams has its numbers once, although it holds in every window', async () => {
    // The growth of the output is three times another number, which no other count hides.
    const usage = Array.from({ length: 14 }, (_, day) => ({
      asOf: test.now - (14 - day) * DAY_MS,
      ledger: 'ledger-one',
      platform: 'codex',
      epoch: 0,
      counts: {
        input: 50_007 * (day + 1),
        output: 3 * (5_000 * (day + 1) + day ** 2),
        cache_read: 90_001 * (day + 1),
        cache_write: 0,
      },
    }));
    const operator = await test.ranking.operators.import([{ codename: 'tripled-row', displayName: null, usage }]);
    await test.ranking.maintainIntegrity(async () => undefined);
    await test.publish();
    await test.accounts.cases.open([{ operator, rule: 'multiplied-counts', severity: 'flag', boardVersion: 1 }]);
    test.now += DELAY_MS;
    const { json } = await pageOf('tripled-row', 'multiplied-counts', JSON_FORM);
    expect(json?.['evidence']).to.have.length.above(1);
    const rows = (await pageOf('tripled-row', 'multiplied-counts', MARKDOWN)).text.match(/^\|.*\| 14 \|.*$/gm);
    expect(rows).to.have.length(1);
    expect(rows![0]).to.include('All time');
  });

  it('does not exist for unknown rules, rules that are not crossed, and unknown operators', async () => {
    for (const [codename, rule, code] of [
      ['flagged-row', 'no-such-rule', 'path_unknown'],
      ['flagged-row', 'Odd_Rule', 'path_unknown'],
      ['flagged-row', 'toString', 'path_unknown'],
      ['plain-row', 'unusual-leverage', 'path_unknown'],
      ['plain-row', 'review', 'path_unknown'],
      ['nobody-here', 'review', 'operator_unknown'],
    ] as const) {
      const { status, json } = await pageOf(codename, rule, JSON_FORM);
      expect([status, json?.['code']], `${codename} ${rule}`).to.deep.equal([404, code]);
    }
  });

  it('is linked from rows, which say in words and data what they lack', async () => {
    const board = (await test.get('/', HTML)).text;
    expect(board)
      .to.include('/operators/flagged-row#plausibility')
      .and.to.include('<span class="narrow">3 flags</span>');
    expect(board).to.include('provisional');
    expect((await test.get('/?window=7d', HTML)).text).to.include('/operators/flagged-row?window=7d#plausibility');
    const written = (await test.get('/', MARKDOWN)).text;
    expect(written).to.include('flags: unfilled cache, unusual leverage, unusual yield').and.not.include('3 flags');
    const small = (await test.get('/operators/small-row', MARKDOWN)).text;
    expect(small)
      .to.include('needs 1,000 input tokens, has 10 % of that')
      .and.to.include('needs 5 days with growth, has 1');
    const { json } = await test.get('/api/v1/operators/small-row');
    expect(json?.['missing']).to.deep.equal([
      { of: 'input', needs: 1_000, has: 100 },
      { of: 'active_days', needs: 5, has: 1 },
    ]);
    const { eligibility, minimum_active_days } = METHODOLOGIES.get(3)!;
    const leaderboard = (await test.get('/api/v1/leaderboard')).json;
    expect(leaderboard?.['floors']).to.deep.equal({ ...eligibility, minimum_active_days });
    const rules = JSON.parse((await test.get('/methodology', JSON_FORM)).text);
    expect(rules.rule_set.bounds.length).to.be.greaterThan(5);
  });
});
