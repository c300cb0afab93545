import { expect } from 'chai';
import { WINDOWS } from '../../../engine/contract/windows.ts';
import { EXCLUDING, FLAGGING, maskOf, NO_ASSERTIONS, rulesIn } from '../../../engine/integrity/index.ts';
import { hourOf } from '../../../engine/ranking/core/operator-state/index.ts';
import { scoreRecord } from '../../../engine/ranking/core/score-record.ts';
import { streamFindings } from '../../../engine/ranking/core/stream-findings.ts';
import { METHODOLOGIES } from '../../../engine/ranking/methodologies/index.ts';
import { growing, openForge, together } from '../../support/histories/forge.ts';
import { forgedHistories } from '../../support/histories/forged.ts';
import { bySubmission, type History, type Submission } from '../../support/histories/history.ts';
import { honestHistories } from '../../support/histories/honest.ts';
import { COPIES, isRefused, PLAUSIBLE } from '../../support/histories/plausible.ts';
import { replay } from '../../support/histories/replay.ts';
import { isBeyond } from '../../support/histories/violation.ts';
import { runsOf } from '../../support/long-run.ts';
import { runSeed, seededRandom } from '../../support/seeded-random.ts';

const methodology = METHODOLOGIES.get(3)!;
const SEED = runSeed();
/** Moments at which an honest history is looked at. */
const MOMENTS = 8;

/**
 * All rules that a history crosses at any of the moments, the windows in which it is ranked at the last, and those in which it is
 * ranked at any moment since it is beyond arithmetic or physics.
 */
function judged(history: History, moments?: number) {
  const rankedBeyond = new Set<string>();
  let ranked = new Set<string>();
  let [mask, violates] = [0, false];
  for (const state of replay(history, moments)) {
    const { totals, hour } = state;
    const submissions = history.submissions.filter(({ at }) => hourOf(at) <= hour);
    violates ||= history.beyond !== null && isBeyond(submissions);
    ranked = new Set();
    for (const [window, result] of scoreRecord({ totals, assertions: NO_ASSERTIONS }, methodology).entries()) {
      mask |= result.mask;
      if (result.score !== null) ranked.add(WINDOWS[window]!);
    }
    const streams = streamFindings(state, methodology);
    mask |= maskOf(({ name }) => streams.has(name));
    if (violates) for (const window of ranked) rankedBeyond.add(window);
  }
  return { mask, ranked: [...ranked], rankedBeyond: [...rankedBeyond] };
}

describe('the rules and the floor', function () {
  this.timeout(120_000);
  const forged = forgedHistories(SEED).filter((history) => !isRefused(history));

  it(`flag at most 0.5 % of honest histories and exclude none (seed ${SEED})`, () => {
    const histories = honestHistories(SEED, runsOf(1_000, 20_000));
    const results = histories.map((history) => ({
      kind: `${history.kind}/${history.source}`,
      ...judged(history, MOMENTS),
    }));
    const named = (bits: number) =>
      results.flatMap(({ kind, mask }) =>
        (mask & bits) === 0
          ? []
          : `${kind}: ${rulesIn(mask)
              .map(({ name }) => name)
              .join()}`,
      );
    expect(named(EXCLUDING)).to.deep.equal([]);
    expect(named(FLAGGING).length, named(FLAGGING).join('; ')).to.be.at.most(results.length * 0.005);
    expect(results.filter(({ ranked }) => ranked.includes('all_time')).length).to.be.at.least(results.length * 0.9);
  });

  it('do not flag what repeats by its nature, or a recount without cache reads in the input', () => {
    const { send, rough } = openForge(seededRandom(SEED), 'openclaw');
    const days = rough(40, [3e5, 6e4, 3e6, 0]);
    const regular: Readonly<Record<string, readonly Submission[]>> = {
      heartbeats: send(growing(20, 1 / 24, () => [6, 24, 30_000, 9_000])),
      'equal runs on new machines': together(60, (index) =>
        send([[30 - index / 2, [24, 900, 160_000, 21_000]]], { stream: `machine-${index}` }),
      ),
      'a recount': [
        ...send(days.map(([daysAgo, [input, output, reads]]) => [daysAgo, [input + reads, output, reads, 0]])),
        ...send(days, { epoch: 1 }),
      ],
    };
    for (const [kind, submissions] of Object.entries(regular)) {
      const history = {
        kind,
        source: 'openclaw',
        honest: true,
        beyond: null,
        submissions: submissions.toSorted(bySubmission),
      };
      const { mask, ranked } = judged(history);
      expect([rulesIn(mask & FLAGGING), ranked.includes('all_time')], kind).to.deep.equal([[], true]);
    }
  });

  it(`never rank a forgery that arithmetic or physics rule out (seed ${SEED})`, () => {
    const beyond = forged.filter(({ beyond: violates }) => violates !== null);
    expect(beyond.length).to.be.greaterThan(25);
    for (const history of beyond) expect(judged(history).rankedBeyond, history.kind).to.deep.equal([]);
  });

  it(`cite a rule for every forgery that is ranked, but plausible lies and copies (seed ${SEED})`, () => {
    const missed = forged.flatMap((history) => {
      const { mask, ranked } = judged(history);
      return (mask & FLAGGING) === 0 && ranked.length > 0 && !COPIES.test(history.kind) ? history.kind : [];
    });
    expect(missed.filter((kind) => !PLAUSIBLE.has(kind))).to.deep.equal([]);
  });
});
