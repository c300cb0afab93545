import { expect } from 'chai';
import {
  bitOf,
  boundFor,
  MEASUREMENT_WORDS,
  type Measure,
  maskUnder,
  measureOf,
  RULE_SETS,
  RULES,
  ruleNamed,
  SOURCES,
  STATISTICS,
  type Statistic,
  sourceOf,
  statisticAt,
  statisticsOf,
  WINDOW_NUMBERS,
} from '../../../engine/integrity/index.ts';

const isStatistic = (measure: Measure): measure is Statistic => STATISTICS.some((name) => name === measure);

/** Totals of one window in which a measure has the value, and every other measure is small. */
function totalsWith(measure: Measure, value: number, platform: string): Float64Array {
  const totals = new Float64Array(WINDOW_NUMBERS);
  const statistics = statisticsOf(totals);
  statistics[statisticAt(0, 'source')] = sourceOf(platform);
  const [input, output, reads] = [1_000, 1_000, 1];
  totals.set([input, output, reads]);
  if (isStatistic(measure)) statistics[statisticAt(0, measure)] = value;
  if (measure === 'leverage' || measure === 'fill') totals[2] = value * input;
  if (measure === 'velocity') totals[1] = value * input;
  if (measure === 'context') totals.set([input, input, value * input]);
  if (measure === 'yield') totals.set([input, Math.sqrt(value) * input, Math.sqrt(value) * input]);
  return totals;
}

const crossed = (totals: Float64Array, hasVolume = true, findings = 0, cleared = 0): number =>
  maskUnder(RULE_SETS.get(1)!)(totals, statisticsOf(totals), 0, hasVolume, findings, cleared);

describe('rules of plausibility', () => {
  for (const { rule: name, ...bound } of RULE_SETS.get(1)!.bounds) {
    const rule = ruleNamed(name);
    for (const { platform, value, crosses } of bound.vectors) {
      it(`${crosses ? 'flag' : 'pass'} ${value} of ${rule.measure} on ${platform} by ${name}`, () => {
        const totals = totalsWith(rule.measure!, value, platform);
        expect(measureOf(rule.measure!, totals, statisticsOf(totals), 0)).to.be.closeTo(value, value * 1e-6);
        expect(boundFor({ rule: name, ...bound }, platform) < value).to.equal(crosses);
        expect((crossed(totals) & bitOf(rule)) !== 0).to.equal(crosses);
      });
    }
  }

  it('of statistics need volume, those of physics do not', () => {
    const unusual = totalsWith('leverage', 500_000, 'codex');
    expect(crossed(unusual) & bitOf(ruleNamed('unusual-leverage'))).to.not.equal(0);
    expect(crossed(unusual, false)).to.equal(0);
    const impossible = totalsWith('agents', 1_000, 'codex');
    expect(crossed(impossible, false)).to.equal(bitOf(ruleNamed('too-many-agents')));
  });

  it('are asserted by records only where they are findings, and waived by a review', () => {
    const totals = totalsWith('leverage', 1, 'codex');
    const [series, leverage] = [bitOf(ruleNamed('identical-series')), bitOf(ruleNamed('unusual-leverage'))];
    expect(crossed(totals, true, series | leverage)).to.equal(series);
    expect(crossed(totals, true, series, series)).to.equal(0);
    expect(crossed(totalsWith('leverage', 1_000, 'codex'), true, 0, leverage) & leverage).to.equal(0);
  });

  it('take the bound of every other platform for one without facts', () => {
    expect(sourceOf('no-such-tool')).to.equal(0);
    expect(SOURCES[0]!.platform).to.equal('');
    expect(crossed(totalsWith('leverage', 1_000, 'no-such-tool'))).to.equal(bitOf(ruleNamed('unfilled-cache')));
  });

  it('have bits and names of their own', () => {
    const measured = RULE_SETS.get(1)!.bounds.map(({ rule }) => rule);
    expect(new Set(measured).size).to.equal(measured.length);
  });

  it('name the appeal as remedy of an exclusion, because an answer brings no moderator', () => {
    for (const { name, severity, remedy } of RULES)
      if (severity === 'exclude') expect(remedy.toLowerCase(), name).to.include('appeal on the account page');
  });

  it('have calibrations that do not repeat their sentence', () => {
    for (const { rule, calibration } of RULE_SETS.get(1)!.bounds) {
      const sentence = ruleNamed(rule).sentence.toLowerCase();
      for (const part of calibration.toLowerCase().split(/[.:;]/))
        if (part.trim() !== '') expect(sentence, rule).to.not.include(part.trim());
    }
  });

  it('name the appeal as remedy where an exclusion outlasts a recount', () => {
    const lasting = RULES.filter((rule) => rule.lasting === true);
    expect(lasting.map(({ name }) => name)).to.deep.equal(['too-many-agents']);
    for (const { remedy, measure } of lasting) {
      expect(remedy).to.include('appeal');
      expect(MEASUREMENT_WORDS[measure!]).to.include('until a moderator voids it');
    }
  });
});
