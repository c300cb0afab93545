import { expect } from 'chai';
import * as fc from 'fast-check';
import { readDay } from '../../../cli/src/sources/fields.ts';
import { dayText, localDay, localTime, openTimeZone, startOfDay } from '../../../cli/src/views/time-zone.ts';
import { LINUX, withVariables } from '../support/scan-source.ts';

const ZONES = ['UTC', 'Asia/Kolkata', 'America/St_Johns', 'Australia/Lord_Howe', 'Europe/Berlin', 'Pacific/Apia'];

describe('time zones', () => {
  it('have the days and times of the calendar', () => {
    const moment = fc.integer({ min: 1_200_000_000, max: 2_000_000_000 });
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), moment, (name, seconds) => {
        const zone = openTimeZone(name, LINUX);
        const format = new Intl.DateTimeFormat('sv-SE', { timeZone: name, dateStyle: 'short', timeStyle: 'short' });
        expect(localTime(seconds, zone)).to.equal(format.format(seconds * 1000));
        expect(dayText(localDay(seconds, zone))).to.equal(format.format(seconds * 1000).slice(0, 10));
      }),
    );
  });

  it('change their offset at the moment at which clocks change', () => {
    const zone = openTimeZone('Europe/Berlin', LINUX);
    const change = Date.parse('2026-03-29T01:00Z') / 1000;
    expect(localTime(change - 1, zone)).to.equal('2026-03-29 01:59');
    expect(localTime(change, zone)).to.equal('2026-03-29 03:00');
  });

  it('begin a day at its first moment', () => {
    const zone = openTimeZone('Europe/Berlin', LINUX);
    for (const day of ['2026-03-28', '2026-03-29', '2026-03-30', '2026-10-25', '2026-10-26']) {
      const start = startOfDay(Date.parse(day) / 86_400_000, zone);
      expect(localTime(start, zone)).to.equal(`${day} 00:00`);
      expect(localTime(start - 60, zone).slice(11)).to.equal('23:59');
    }
  });

  it('are those of the system without a name', () => {
    const zone = openTimeZone(undefined, withVariables(LINUX, { TZ: ':Asia/Kolkata' }));
    expect(zone.name).to.equal('Asia/Kolkata');
    const now = 1_775_000_000;
    expect(zone.offsetAt(now)).to.equal(-60 * new Date(now * 1000).getTimezoneOffset());
  });

  it('that do not exist are refused', () => {
    expect(() => openTimeZone('Mars/Olympus', LINUX)).to.throw('unknown time zone "Mars/Olympus"');
  });

  it('are named by texts: of the calendar, and relative to today', () => {
    const today = Date.parse('2026-03-01') / 86_400_000;
    const texts = ['2026-02-28', '20260228', 'today', 'yesterday', '7d', '0d'];
    const days = ['2026-02-28', '2026-02-28', '2026-03-01', '2026-02-28', '2026-02-22', '2026-03-01'];
    expect(texts.map((text) => readDay(text, today))).to.deep.equal(days);
    for (const text of ['', '2026-02-30', '20260230', '2026022', '-7d', '7 d', 'tomorrow', '2026-02-28T10:00'])
      expect(readDay(text, today), text).to.equal(null);
  });
});
