import { expect } from 'chai';
import * as fc from 'fast-check';
import { randomId, timeOf, timeOrderedId, timePrefix } from '../../../../engine/ranking/storage/unique-id.ts';

/** Milliseconds since the epoch, until the year 5000. */
const moment = fc.integer({ min: 0, max: Date.UTC(5_000, 0) });

describe('ids', () => {
  it('that are ordered by time sort by their moment, and have it', () => {
    fc.assert(
      fc.property(moment, moment, (one, other) => {
        const [early, late] = [Math.min(one, other), Math.max(one, other) + 1];
        expect(timeOrderedId(early) < timeOrderedId(late)).to.equal(true);
        expect(timeOf(timeOrderedId(early))).to.equal(early);
        expect(timePrefix(early) <= timeOrderedId(early)).to.equal(true);
        expect(timeOrderedId(early) < timePrefix(late)).to.equal(true);
      }),
    );
  });

  it('differ, and have no character that job ids and paths reserve', () => {
    const ids = Array.from({ length: 1_000 }, randomId);
    expect(new Set(ids).size).to.equal(1_000);
    for (const id of ids) expect(id).to.match(/^[A-Za-z0-9]{12}$/);
  });
});
