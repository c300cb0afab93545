import { expect } from 'chai';
import { ROW_STATES } from '../../../engine/contract/row-states.ts';
import {
  bitOf,
  judgeUnder,
  NEED_STEPS,
  NO_ASSERTIONS,
  PLACE_OF,
  RULE_SETS,
  RULES,
  type RuleSet,
  ruleNamed,
  SOURCES,
  sourceOf,
  unsupportedOf,
  type WAIVABLE,
  WAIVERS,
  WINDOW_NUMBERS,
  waiverOf,
} from '../../../engine/integrity/index.ts';

const set: RuleSet = {
  ...RULE_SETS.get(2)!,
  reference: {
    origin: 'Of tests.',
    all: { p75: 1_000, p90: 2_000, p99: 4_000 },
    platforms: { codex: { p75: 1, p90: 2, p99: 10 }, amp: { p75: 10_000, p90: 20_000, p99: 40_000 } },
  },
};

interface Case {
  readonly counts?: readonly number[];
  readonly platform?: string;
  readonly vouching?: number;
  readonly findings?: readonly string[];
  readonly waived?: Partial<Record<(typeof WAIVABLE)[number], number>>;
}

/** How a window stands that is the second of its totals, and the rules that it crosses. */
function judged(
  yield_: number,
  { counts = [1_000, 1_000, 1_000, 0], platform = 'codex', vouching = 0, ...asserted }: Case,
) {
  const totals = new Float64Array(2 * WINDOW_NUMBERS);
  totals.set(counts, WINDOW_NUMBERS);
  totals[WINDOW_NUMBERS + PLACE_OF.source] = sourceOf(platform);
  totals[WINDOW_NUMBERS + PLACE_OF.vouching] = vouching;
  totals[WINDOW_NUMBERS + PLACE_OF.unsupported] = unsupportedOf(counts[0]!, counts[1]!, counts[2]!);
  const waived = new Float64Array(2 * WAIVERS);
  for (const [rule, value] of Object.entries(asserted.waived ?? {})) waived[WAIVERS + waiverOf(rule)] = value;
  const findings = (asserted.findings ?? []).reduce((mask, name) => mask | bitOf(ruleNamed(name)), 0);
  const window = { totals, at: WINDOW_NUMBERS, findings, waived, waivedAt: WAIVERS };
  const judge = judgeUnder(set);
  const rules = RULES.filter((rule) => (judge.maskOf(window, yield_) & bitOf(rule)) !== 0).map(({ name }) => name);
  return [ROW_STATES[judge.stateOf(window, yield_)], ...rules];
}

describe('the judgement of a row', () => {
  const { needOf } = judgeUnder(set);

  for (const [what, platform, steps] of [
    [
      'its own reference up to 7 days',
      'codex',
      [
        [0, 1],
        [3, 2],
        [7, 10],
        [14, 30],
        [30, Infinity],
      ],
    ],
    [
      'the reference of all platforms from 7 days on',
      'amp',
      [
        [0, 2_000],
        [7, 4_000],
        [14, 12_000],
        [30, Infinity],
      ],
    ],
    [
      'that of all platforms for one without a reference',
      'no-such-tool',
      [
        [0, 1_000],
        [3, 2_000],
        [7, 4_000],
        [14, 12_000],
        [30, Infinity],
      ],
    ],
  ] as const) {
    it(`needs the vouching days of each step by ${what}`, () => {
      let above = 0;
      for (const [days, upTo] of steps) {
        const yields = [above * 1.000_1 + 1e-9, Math.min(upTo, 1e12)];
        for (const yield_ of yields) {
          expect(needOf(yield_, sourceOf(platform)), `${yield_}`).to.deep.equal({ days, acceptance: days === 30 });
          const enough = { platform, vouching: days, waived: { 'extraordinary-yield': yield_ } };
          expect(judged(yield_, enough), `${yield_}`).to.deep.equal(['settled']);
          if (days > 0) expect(judged(yield_, { ...enough, vouching: days - 1 })).to.deep.equal(['held']);
        }
        above = upTo;
      }
    });
  }

  it('needs the days of the graver of both references', () => {
    // Beyond three times its 99th percentile, and beyond the 90th of all.
    expect(needOf(3_000, sourceOf('codex'))).to.deep.equal({ days: 30, acceptance: true });
    expect(needOf(3_000, sourceOf('amp'))).to.deep.equal({ days: 7, acceptance: false });
  });

  it('enters the queue with 30 vouching days beyond three times the 99th percentile, and not before', () => {
    expect(judged(31, { vouching: 29 })).to.deep.equal(['held']);
    expect(judged(31, { vouching: 30 })).to.deep.equal(['held', 'extraordinary-yield']);
    expect(judged(31, { vouching: 30, waived: { 'extraordinary-yield': 30.9 } })).to.deep.equal([
      'held',
      'extraordinary-yield',
    ]);
    expect(judged(31, { vouching: 30, waived: { 'extraordinary-yield': 31 } })).to.deep.equal(['settled']);
  });

  it('is held by a finding, excluded by arithmetic or a review, and by the graver of both', () => {
    const many = { vouching: 40 };
    expect(judged(0.5, { ...many, findings: ['identical-series'] })).to.deep.equal(['held', 'identical-series']);
    expect(judged(0.5, { ...many, findings: ['review'] })).to.deep.equal(['excluded', 'review']);
    expect(judged(0.5, { findings: ['review', 'identical-series'] })).to.deep.equal([
      'excluded',
      'identical-series',
      'review',
    ]);
    expect(judged(31, { counts: [1, 210_000, 9, 0], ...many })).to.deep.equal([
      'excluded',
      'output-beyond-response',
      'extraordinary-yield',
    ]);
    expect(judged(0.5, { findings: ['no-input', 'extraordinary-yield'] }), 'measured, not asserted').to.deep.equal([
      'settled',
    ]);
  });

  it('excludes what arithmetic rules out, above its bound and above what a moderator accepted', () => {
    for (const [rule, counts, value] of [
      ['no-input', [0, 250_001, 0, 0], 250_001],
      ['no-input', [0, 0, 20_000_080, 0], 250_001],
      ['reads-beyond-context', [1_000, 10, 40_000_010, 0], 4_000_001],
      ['output-beyond-response', [10, 2_000_001, 10, 0], 200_000.1],
    ] as const) {
      expect(judged(0, { counts }), `${rule} ${counts.join(' ')}`).to.deep.equal(['excluded', rule]);
      expect(judged(0, { counts, waived: { [rule]: value } }), `${rule} ${counts.join(' ')}`).to.deep.equal([
        'settled',
      ]);
      expect(judged(0, { counts, waived: { [rule]: value * 0.999 } }), `${rule} ${counts.join(' ')}`).to.deep.equal([
        'excluded',
        rule,
      ]);
      const within = counts.map((count, field) =>
        count === Math.max(...counts) ? count - (field === 2 ? 81 : 1) : count,
      );
      if (rule !== 'reads-beyond-context') expect(judged(0, { counts: within })).to.deep.equal(['settled']);
    }
    expect(judged(0, { counts: [1_000, 10, 40_000_000, 0] }), 'at the bound').to.deep.equal(['settled']);
  });

  it('is that of its assertions alone without a rule set', () => {
    const totals = Float64Array.from([0, 1e12, 0, 0, 1, 1e12, 0, 1, -1]);
    const { stateOf, maskOf, boundOf } = judgeUnder(null);
    const window = { totals, at: 0, ...NO_ASSERTIONS, waivedAt: 0 };
    expect([ROW_STATES[stateOf(window, 1e12)], maskOf(window, 1e12), boundOf('context', 1)]).to.deep.equal([
      'settled',
      0,
      null,
    ]);
    expect(ROW_STATES[stateOf({ ...window, findings: bitOf(ruleNamed('review')) }, 1)]).to.equal('excluded');
  });

  it('has rule sets whose references ascend, of platforms that exist, with bits of their own for rules', () => {
    for (const { reference } of RULE_SETS.values()) {
      if (reference === null) continue;
      for (const { p75, p90, p99 } of [reference.all, ...Object.values(reference.platforms)])
        expect([0, p75, p90, p99]).to.deep.equal([0, p75, p90, p99].toSorted((a, b) => a - b));
      for (const platform of Object.keys(reference.platforms)) expect(SOURCES).to.include(platform);
    }
    expect(new Set(RULES.map(bitOf)).size).to.equal(RULES.length);
    expect(NEED_STEPS.map(({ days }) => days)).to.deep.equal([0, 3, 7, 14, 30]);
    for (const { name, severity, remedy } of RULES)
      if (severity === 'exclude') expect(remedy.toLowerCase(), name).to.include('appeal at your account');
  });
});
