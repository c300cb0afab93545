import { expect } from 'chai';
import { DAY_MS, readableDay } from '../../../../../config/units.ts';
import { type Effect, reportOutcome } from '../../../../../engine/integrity/cases/index.ts';
import { useFreshFixture } from '../../../../support/use-fixture.ts';
import { START } from '../../../accounts/open-accounts.ts';
import { openCases } from './cases-under-test.ts';

const EXCLUDED = 'A moderator excluded the operator from the boards.';
const VOIDED = 'A moderator found the counts plausible, and voided the finding.';

describe('outcomes of reports', () => {
  const under = useFreshFixture(openCases);

  const report = (reporter: number) =>
    under().accounts.cases.report({ reporter, operator: 6, reason: 'counts', boardVersion: 7 });
  const decide = async (rule: string, action: Effect) => under().decide(await under().read(`6/${rule}`), action);
  const outcomeFor = async (reporter: number) => {
    const { at } = (await under().accounts.cases.findReport(reporter, 6))!;
    return reportOutcome(await under().accounts.cases.ofOperator(6), at);
  };

  it('say that the row is excluded while any case excludes it', async () => {
    for (const rule of ['no-input', 'output-beyond-response']) await under().openCase(6, rule);
    await report(5);
    await decide('no-input', 'exclude');
    under().now += 1;
    await decide('output-beyond-response', 'void');
    expect(await outcomeFor(5)).to.equal(EXCLUDED);
    under().now += 1;
    await decide('no-input', 'void');
    expect(await outcomeFor(5)).to.equal(VOIDED);
  });

  it('say that other findings still apply after a void one', async () => {
    await under().openCase(6, 'no-input');
    await report(5);
    await decide('reported', 'void');
    const still = `${VOIDED} Other findings still apply.`;
    expect(await outcomeFor(5)).to.equal(`${still} Reason: Checked.`);
    await under().accounts.cases.recordFindings([], { operators: [6] });
    expect(await outcomeFor(5), 'closed').to.equal(`${VOIDED} Reason: Checked.`);
  });

  it('name an earlier decision about reports while it stands, and none once the case waits again', async () => {
    await report(5);
    await decide('reported', 'void');
    under().now += DAY_MS;
    await report(7);
    const day = readableDay(START);
    const stands = `It was decided on ${day}; new reports do not ask again for 30 days.`;
    expect(await outcomeFor(7)).to.equal(`${stands} ${VOIDED} Reason: Checked.`);
    expect(await outcomeFor(5)).to.equal(`${VOIDED} Reason: Checked.`);
    under().now += 30 * DAY_MS;
    await report(8);
    expect([await outcomeFor(8), await outcomeFor(7)]).to.deep.equal([null, null]);
    expect(await outcomeFor(5)).to.equal(`${VOIDED} Reason: Checked.`);
    await decide('reported', 'exclude');
    expect(await outcomeFor(8)).to.equal(`${EXCLUDED} Reason: Checked.`);
  });

  it('are asked for again by a repeated report whose first request ended too early, and by no other', async () => {
    await report(5);
    await decide('reported', 'void');
    under().now += 40 * DAY_MS;
    expect(await report(8)).to.equal('reported');
    // As a process leaves it that stops between both writes of a report.
    const stored = under().connection.collection<{ _id: string }>('integrity_cases');
    await stored.updateOne({ _id: '6/reported' }, { $unset: { waiting: 1 } });
    expect([await report(5), (await under().read('6/reported')).waiting]).to.deep.equal(['already', undefined]);
    expect(await report(8)).to.equal('already');
    expect((await under().read('6/reported')).waiting?.since).to.deep.equal(new Date(under().now));
  });
});
