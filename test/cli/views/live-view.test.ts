import { expect } from 'chai';
import * as fc from 'fast-check';
import { openScreen } from '../../../cli/src/output/screen.ts';
import { afterKey, FIRST_LIVE_STATE, type LiveState, liveLines } from '../../../cli/src/views/live-view.ts';
import { openTimeZone } from '../../../cli/src/views/time-zone.ts';
import { LINUX } from '../support/scan-source.ts';
import { bucketsOf } from '../support/stores.ts';

const NOW = Date.parse('2026-05-01T12:00:00Z') / 1000;
const query = { zone: openTimeZone('UTC', LINUX), platforms: [] };
const prices = { own: new Map(), path: '', find: () => null };
const { paint } = openScreen({ json: false, color: false });

/** A session each hour before now. */
function bucketsOfHours(hours: number) {
  const counts = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
  return bucketsOf(
    Array.from({ length: hours }, (_, hour) => {
      return { platform: 'pi', time: NOW - hour * 3600, counts, model: 'm', session: `session-${hour}` };
    }),
  );
}

function press(...keys: readonly string[]): LiveState {
  return keys.reduce(afterKey, FIRST_LIVE_STATE);
}

function lines(
  state: LiveState,
  size: { columns: number; rows: number } | null,
  hours = 40,
  place: string | null = null,
) {
  return liveLines(bucketsOfHours(hours), state, { query, prices, now: NOW, size, paint, place });
}

describe('the live view', () => {
  it('shows the sessions of the day, the latest first, as many as the terminal has room for', () => {
    const shown = lines(FIRST_LIVE_STATE, { columns: 120, rows: 10 });
    expect(shown).to.have.length(10);
    expect(shown[0]).to.equal('today 130 ? Yield 6 · pi block 50 ? 1h00m left');
    expect(shown[3]).to.match(/^2026-05-01 12:00 {2}session-0 /);
    expect(shown[5]).to.match(/^2026-05-01 10:00 {2}session-2 /);
    expect(shown.at(-2)).to.equal('since 2026-05-01 · rows 1 to 3 of 13');
  });

  it('changes by keys: view, grouping, days and place', () => {
    expect(press('d')).to.include({ view: 'daily' });
    expect(press('o')).to.include({ by: 'model' });
    expect(press('o', 'o')).to.include({ by: null });
    expect(press('t', ' ', 'x')).to.include({ isToday: false, isPaused: true, view: 'session' });
    expect(press('\u001b[A')).to.include({ offset: 0 });
    const scrolled = lines(press('t', '\u001b[B', '\u001b[B'), { columns: 120, rows: 10 });
    expect(scrolled[3]).to.include('session-2 ');
    expect(scrolled.at(-2)).to.equal('all · rows 3 to 5 of 40');
    // The last rows stay in view, however often the key is pressed.
    const far = lines(press('t', ...Array.from({ length: 99 }, () => '\u001b[B')), { columns: 120, rows: 10 });
    expect(far[5]).to.include('session-39 ');
  });

  it('fits every terminal from 60 columns and 8 rows on', () => {
    const keys = fc.array(fc.constantFrom('d', 'w', 'm', 's', 'b', 'p', 'o', 'j', 't', '?', ' ', '\u001b[B'), {
      maxLength: 8,
    });
    const sizes = fc.record({ columns: fc.integer({ min: 60, max: 200 }), rows: fc.integer({ min: 8, max: 60 }) });
    fc.assert(
      fc.property(keys, sizes, fc.nat({ max: 50 }), (pressed, size, hours) => {
        const shown = lines(press(...pressed), size, hours, 'test-lantern: rank 3 of 4 (percentile 50), tier REFINER.');
        expect(shown.length).to.be.at.most(size.rows);
        for (const line of shown) expect(line.length, line).to.be.at.most(size.columns);
        for (const key of ['quit', 'today/all', 'pause', '? all keys']) expect(shown.at(-1)).to.include(key);
      }),
      { numRuns: 50 },
    );
  });

  it('shows rank, rate and the hours of the day where there is room, and all keys when asked', () => {
    const place = 'test-lantern: rank 3 of 4 (percentile 50), tier REFINER.';
    const shown = lines(FIRST_LIVE_STATE, { columns: 80, rows: 24 }, 3, place);
    expect(shown.slice(0, 5)).to.deep.equal([
      'today 30 ? Yield 6 · pi block 30 ? 3h00m left',
      place,
      'pi block: 0 tokens/min; at this rate 75 tokens in 3h00m',
      '··········███ tokens by hour since midnight, at most 10',
      '',
    ]);
    expect(shown[5]).to.match(/^Used/);
    const keys = lines(press('?'), { columns: 80, rows: 24 }, 3, place);
    expect(keys.slice(5, 12).join('\n')).to.include('d w m s b  by day, week, month').and.include('?          back');
    expect(press('?', '?')).to.deep.equal(FIRST_LIVE_STATE);
    expect(lines(FIRST_LIVE_STATE, { columns: 80, rows: 12 }, 3, place).join('\n')).not.to.include(place);
  });

  it('has every row and no keys without a terminal', () => {
    const shown = lines(FIRST_LIVE_STATE, null);
    // Summary, block, hours and an empty line; titles, rows and sum.
    expect(shown).to.have.length(4 + 1 + 13 + 1);
    expect(shown.join('\n')).not.to.include('quit');
  });
});
