import { expect } from 'chai';
import { applySamples, emptyState, twoSources } from '../../../../../engine/ranking/core/operator-state/index.ts';
import { HOURS_PER_DAY, NOON } from './arbitraries.ts';

const TODAY = Math.floor(NOON / HOURS_PER_DAY);

/** A stream's tokens on each of the last 30 days, and what it states about the last days, oldest first. */
interface StreamDays {
  readonly platform?: string;
  readonly tokens?: number;
  readonly days: string;
  readonly until?: number;
}

function isConfirmed(streams: readonly StreamDays[], hour = NOON): boolean {
  const samples = streams.flatMap(({ platform = 'claude-code', tokens = 1_000, days, until = TODAY - 1 }, index) => {
    const bits = (mark: string): number =>
      Number.parseInt(Array.from(days, (of) => (of === mark ? '1' : '0')).join(''), 2);
    const agreement = days === '' ? null : { day: until, agreed: bits('1'), differed: bits('0') };
    return Array.from({ length: 30 }, (_, day) => ({
      ledger: `ledger-${index}`,
      platform,
      epoch: 0,
      hour: (TODAY - 30 + day) * HOURS_PER_DAY + 9,
      counts: { input: 0, output: tokens * (day + 1), cache_read: 0, cache_write: 0 },
      provenance: { counting: 'exact' as const, version: 1, agreement },
    }));
  });
  return twoSources({ ...applySamples(emptyState(NOON), samples, NOON).operatorState, hour });
}

describe('two sources', () => {
  it('agree with seven days, and not with six', () => {
    expect(isConfirmed([{ days: '1111111' }])).to.equal(true);
    expect(isConfirmed([{ days: '111111' }])).to.equal(false);
    expect(isConfirmed([{ days: '1-1-1-1-1-1-1' }])).to.equal(true);
    expect(isConfirmed([])).to.equal(false);
  });

  it('agree with four of five compared days, and not with fewer', () => {
    expect(isConfirmed([{ days: '1111111100' }])).to.equal(true);
    expect(isConfirmed([{ days: '11111111000' }])).to.equal(false);
    expect(isConfirmed([{ days: '1'.repeat(24) + '0'.repeat(6) }])).to.equal(true);
    expect(isConfirmed([{ days: '1'.repeat(23) + '0'.repeat(7) }])).to.equal(false);
  });

  it('differ on a day on which any stream differs', () => {
    expect(isConfirmed([{ days: '1111111' }, { platform: 'codex', days: '1110000' }])).to.equal(false);
    expect(isConfirmed([{ days: '1111---' }, { platform: 'codex', days: '----111' }])).to.equal(true);
  });

  it('cover the streams of at least 98 % of the tokens', () => {
    expect(
      isConfirmed([
        { days: '1111111', tokens: 980 },
        { platform: 'amp', days: '', tokens: 20 },
      ]),
    ).to.equal(true);
    expect(
      isConfirmed([
        { days: '1111111', tokens: 979 },
        { platform: 'amp', days: '', tokens: 21 },
      ]),
    ).to.equal(false);
  });

  it('are of the last 30 full days', () => {
    const days = { days: '1111111', until: TODAY - 24 };
    expect(isConfirmed([days])).to.equal(true);
    expect(isConfirmed([days], NOON + HOURS_PER_DAY)).to.equal(false);
    expect(isConfirmed([{ days: '1111111' }], NOON - 9 * HOURS_PER_DAY), 'a board of nine days ago').to.equal(true);
  });
});
