import { expect } from 'chai';
import { DAY_MS } from '../../../../config/units.ts';
import { REPORTED_RULE, REVIEW_RULE, seenOf } from '../../../../engine/integrity/cases/index.ts';
import { FIRST_METHODOLOGY, METHODOLOGIES } from '../../../../engine/ranking/methodologies/index.ts';
import { MODERATOR, openJudgedField } from '../../../support/judged-field.ts';
import type { TestApi } from '../../../support/test-api.ts';

const HTML = { accept: 'text/html' };
const MARKDOWN = { accept: 'text/markdown' };
const JSON_FORM = { accept: 'application/json' };
const DELAY_MS = 3 * DAY_MS;

describe('site: evidence', () => {
  let test: TestApi;

  beforeEach(async () => {
    test = await openJudgedField();
  });

  afterEach(() => test[Symbol.asyncDispose]());

  const numberOf = async (codename: string): Promise<number> => (await test.ranking.operators.find(codename))!.operator;
  const pageOf = (codename: string, rule: string, headers = HTML) =>
    test.get(`/operators/${codename}/integrity/${rule}`, headers);
  const openCase = async (rule: string): Promise<string> => {
    const operator = await numberOf('held-row');
    await test.accounts.cases.open([{ operator, rule, severity: 'hold', boardVersion: 1 }]);
    return `${operator}/${rule}`;
  };
  /** Decides a case by a row that had at most a Yield of `covers`. */
  const decide = async (id: string, action: 'void' | 'exclude' | 'restore' | 'hide_answer', covers = 10_000) => {
    const by = await numberOf(MODERATOR);
    await test.accounts.setModerator(by, true);
    const found = (await test.accounts.cases.find(id))!;
    const seen = seenOf(found, await test.accounts.cases.ofOperator(found.operator), () => [covers]);
    const decision = { id, by, action, reason: 'Checked.', counts: '', seen, client: null };
    expect(await test.accounts.cases.decide(decision, test.ranking.operators.applyReview)).to.equal('decided');
    await test.publish();
  };

  it('of a held row is public 72 hours after its case was opened, and the same in every form', async () => {
    expect((await pageOf('held-row', 'extraordinary-yield')).text).to.include('The evidence is not public');
    await openCase('extraordinary-yield');
    const early = await pageOf('held-row', 'extraordinary-yield');
    expect(early.text).to.include('The evidence becomes public on').and.not.include('5,000');
    const waiting = (await pageOf('held-row', 'extraordinary-yield', JSON_FORM)).json;
    expect(waiting)
      .to.include({ waits: new Date(test.now + DELAY_MS).toISOString() })
      .and.not.have.property('evidence');
    const profile = (await test.get('/operators/held-row', HTML)).text;
    expect(profile).to.include('not settled: extraordinary yield').and.to.include('The evidence becomes public on');
    expect(profile).to.not.include('/integrity/extraordinary-yield');
    test.now += DELAY_MS;
    const shown = await pageOf('held-row', 'extraordinary-yield');
    expect(shown.status).to.equal(200);
    expect(shown.headers.get('x-robots-tag')).to.equal('noindex');
    expect(shown.text).to.include('<meta name="robots" content="noindex">');
    const { text, headers } = await pageOf('held-row', 'extraordinary-yield', JSON_FORM);
    const json = JSON.parse(text);
    expect(headers.get('x-robots-tag')).to.equal('noindex');
    const explained = (await test.ranking.operators.explain('held-row'))!;
    expect(json.evidence).to.deep.equal(explained.evidence.filter(({ rule }) => rule === 'extraordinary-yield'));
    expect(json).to.include({
      board_version: explained.board_version,
      methodology: FIRST_METHODOLOGY,
      severity: 'hold',
      answer: null,
    });
    const [{ ratio, measured, bound }] = json.evidence;
    expect(measured).to.equal(5_000);
    expect(bound).to.equal(22.5);
    expect(ratio).to.equal(measured / bound);
    const markdown = (await pageOf('held-row', 'extraordinary-yield', MARKDOWN)).text;
    for (const page of [shown.text, markdown]) expect(page).to.include('5,000').and.to.include(json.sentence);
    expect((await test.get('/operators/held-row', HTML)).text).to.include('/integrity/extraordinary-yield');
    expect((await test.get('/sitemap.xml')).text).to.not.include('/integrity/');
  });

  it('shows the answer of the operator as plain text, unless a moderator hid it', async () => {
    const id = await openCase('extraordinary-yield');
    test.now += DELAY_MS;
    await test.accounts.cases.setAnswer(id, 'A cache of <b>one</b> large document.');
    const answered = (await pageOf('held-row', 'extraordinary-yield')).text;
    expect(answered).to.include('A cache of &lt;b&gt;one&lt;/b&gt; large document.');
    await decide(id, 'hide_answer');
    expect((await pageOf('held-row', 'extraordinary-yield')).text).to.not.include('large document');
    expect((await pageOf('held-row', 'extraordinary-yield', JSON_FORM)).json).to.include({ answer: null });
  });

  it('is gone when the case is void, and shown while a review holds it', async () => {
    const id = await openCase('extraordinary-yield');
    test.now += DELAY_MS;
    await decide(id, 'void');
    expect((await pageOf('held-row', 'extraordinary-yield')).status).to.equal(404);
    await decide(id, 'exclude');
    const excluded = (await pageOf('held-row', 'extraordinary-yield')).text;
    expect(excluded)
      .to.match(/<dt>Decided by<\/dt><dd>A moderator<\/dd>/)
      .and.include('Appeal at your account');
    const review = await pageOf('held-row', 'review');
    expect(review.text).to.include('confirmed the finding <code>extraordinary-yield</code>').and.include('5,000');
    expect(review.text, 'the reason').to.not.include('Checked.');
    expect((await pageOf('held-row', 'review', JSON_FORM)).json?.['review']).to.deep.equal({
      decided_at: new Date(test.now).toISOString(),
      grounds: 'extraordinary-yield',
      board_version: 1,
    });
    await decide(id, 'restore');
    expect((await pageOf('held-row', 'review')).status).to.equal(404);
    expect((await pageOf('held-row', 'extraordinary-yield')).status).to.equal(200);
  });

  it('of a row that exceeds what a moderator cleared waits again', async () => {
    const id = await openCase('extraordinary-yield');
    test.now += DELAY_MS;
    expect((await pageOf('held-row', 'extraordinary-yield', JSON_FORM)).json).to.have.property('evidence');
    await decide(id, 'void', 4_000);
    const waitsUntil = async (at: number | null) => {
      const { json } = await pageOf('held-row', 'extraordinary-yield', JSON_FORM);
      expect(json)
        .to.include({ waits: at && new Date(at).toISOString() })
        .and.not.have.property('evidence');
      expect((await test.get('/operators/held-row', HTML)).text).to.not.include('/integrity/extraordinary-yield');
    };
    await waitsUntil(null);
    test.now += DAY_MS;
    await openCase('extraordinary-yield');
    await waitsUntil(test.now + DELAY_MS);
  });

  it('of a review after reports has its date and what to do, neither the reason nor who reported', async () => {
    const [reporter, operator] = [await numberOf('small-row'), await numberOf('plain-row')];
    await test.accounts.cases.report({ reporter, operator, reason: 'counts', boardVersion: 4 });
    await decide(`${operator}/reported`, 'exclude');
    const { status, text } = await pageOf('plain-row', 'review');
    expect(status).to.equal(200);
    expect(text)
      .to.match(/<dt>Decided by<\/dt><dd>A moderator<\/dd>/)
      .and.include('Readers reported the numbers');
    expect(text).to.include('The operator reads the moderator’s reason at its account.');
    expect(text).to.include('Appeal at your account').and.not.include('Checked.').and.not.include('small-row');
    expect(text).to.include('excluded from every board').and.not.include('each window below');
    expect(text).to.include('A moderator judges how plausible').and.not.include('A rule compares numbers');
    // A review of the same row that a moderator opened, and one that it voided, change nothing.
    await test.accounts.cases.open([{ operator, rule: REVIEW_RULE, severity: 'note', boardVersion: 4 }]);
    expect((await pageOf('plain-row', 'review')).text).to.include('Readers reported the numbers');
    await decide(`${operator}/${REVIEW_RULE}`, 'void');
    expect((await pageOf('plain-row', 'review')).text).to.include('Readers reported the numbers');
    await decide(`${operator}/${REPORTED_RULE}`, 'restore');
    expect((await pageOf('plain-row', 'review')).status).to.equal(404);
  });

  it('of an excluded row is public at once, and its page says why', async () => {
    const { text } = await test.get('/operators/absurd-row', HTML);
    expect(text).to.include('<strong>Excluded</strong> over all time: <a');
    expect(text).to.include('/operators/absurd-row/integrity/output-beyond-response');
    const page = await pageOf('absurd-row', 'output-beyond-response');
    expect(page.status).to.equal(200);
    expect(page.text).to.include('There is more output for each input token than a response can have.');
    expect((await test.get('/', HTML)).text).to.not.include('absurd-row');
    await test.ranking.operators.amend(await numberOf('absurd-row'), { listed: false });
    for (const form of [HTML, MARKDOWN, JSON_FORM]) {
      const left = await pageOf('absurd-row', 'output-beyond-response', form);
      expect([left.status, left.text.includes('more output')], form.accept).to.deep.equal([404, false]);
    }
  });

  it('of a rule that only the operator is to know does not exist, and no list has its row', async () => {
    const names = ['plain-row', 'held-row'];
    const lists = async () => {
      const asked = [
        ['/', HTML],
        ['/', MARKDOWN],
        ['/api/v1/leaderboard?include=held', JSON_FORM],
      ] as const;
      return Promise.all(asked.map(async ([path, form]) => (await test.get(path, form)).text));
    };
    for (const text of await lists()) for (const codename of names) expect(text).to.include(codename);
    for (const codename of names) await test.ranking.operators.holdReturned(await numberOf(codename), true);
    await test.publish();
    for (const text of await lists()) for (const codename of names) expect(text).to.not.include(codename);
    for (const codename of names) {
      const forms = [HTML, MARKDOWN, JSON_FORM].map(async (form) => (await pageOf(codename, 'returned', form)).status);
      expect(await Promise.all(forms), codename).to.deep.equal([404, 404, 404]);
      expect((await test.get(`/api/v1/operators/${codename}`)).text)
        .to.include('"held"')
        .and.not.include('returned');
    }
  });

  it('does not exist for unknown rules, rules that are not crossed, and unknown operators', async () => {
    for (const [codename, rule, code] of [
      ['held-row', 'no-such-rule', 'path_unknown'],
      ['held-row', 'Odd_Rule', 'path_unknown'],
      ['held-row', 'toString', 'path_unknown'],
      ['plain-row', 'extraordinary-yield', 'path_unknown'],
      ['plain-row', 'review', 'path_unknown'],
      ['nobody-here', 'review', 'operator_unknown'],
    ] as const) {
      const { status, json } = await pageOf(codename, rule, JSON_FORM);
      expect([status, json?.['code']], `${codename} ${rule}`).to.deep.equal([404, code]);
    }
  });

  it('is linked from rows, which say in words and data what they lack', async () => {
    const board = (await test.get('/', HTML)).text;
    expect(board).to.include('plain-row').and.to.include('<summary>1 operator is not settled yet</summary>');
    expect(board).to.match(/<summary>1 operator is not settled yet[^]*href="[^"]*\/operators\/held-row"/);
    const written = (await test.get('/', MARKDOWN)).text;
    expect(written).to.include('40 of 45 days').and.to.include('once a moderator has accepted the Yield');
    const held = (await test.get('/api/v1/leaderboard?include=held')).json;
    expect(held).to.include({ total_operators: 1, held_operators: 1 });
    expect((await test.get('/api/v1/leaderboard')).json).to.not.have.any.keys('held', 'held_operators');
    const own = (await test.get('/operators/held-row', MARKDOWN)).text;
    expect(own).to.include('Not settled yet').and.to.include('would be rank 1');
    expect(own).to.include('Witnessed 40 of 45 days');
    const small = (await test.get('/operators/small-row', MARKDOWN)).text;
    expect(small).to.include('needs 1,000 input tokens, has 10% of that');
    const { json } = await test.get('/api/v1/operators/small-row');
    expect(json?.['missing']).to.deep.equal([{ of: 'input', needs: 1_000, has: 100 }]);
    const plain = (await test.get('/api/v1/operators/plain-row')).json;
    expect(plain).to.deep.include({ provisional: true, missing: [{ of: 'witnessed_days', needs: 5, has: 0 }] });
    const { eligibility, minimum_witnessed_days } = METHODOLOGIES.get(FIRST_METHODOLOGY)!;
    const leaderboard = (await test.get('/api/v1/leaderboard')).json;
    expect(leaderboard?.['floors']).to.deep.equal({ ...eligibility, minimum_witnessed_days });
    const rules = JSON.parse((await test.get('/methodology', JSON_FORM)).text);
    expect(rules.rule_set.reference.all).to.have.keys('p75', 'p90', 'p99');
  });
});
