import { expect } from 'chai';
import { readWaitPreference } from '../../../../../api/v1/snapshots/submit-snapshot.ts';

const BOUNDS = { defaultMs: 1_500, maxMs: 10_000 };

describe('api: wait preferences', () => {
  const cases: [prefer: string | undefined, waitMs: number, applied: string | null][] = [
    [undefined, 1_500, null],
    ['', 1_500, null],
    ['respond-async', 0, 'respond-async'],
    ['Respond-Async', 0, 'respond-async'],
    ['wait=3', 3_000, 'wait=3'],
    ['wait="3"', 3_000, 'wait=3'],
    ['WAIT = 3', 3_000, 'wait=3'],
    ['wait=0', 0, 'wait=0'],
    ['wait=600', 10_000, 'wait=10'],
    ['respond-async, wait=4', 4_000, 'respond-async, wait=4'],
    ['wait=4; extra=1, respond-async', 4_000, 'respond-async, wait=4'],
    ['wait=2, wait=9', 2_000, 'wait=2'],
    ['wait=-1', 1_500, null],
    ['wait=1.5', 1_500, null],
    ['wait=soon', 1_500, null],
    ['wait=99999999999999999999', 1_500, null],
    ['return=minimal', 1_500, null],
    [',,;=', 1_500, null],
  ];
  it('name a bound in whole seconds that are not shorter', () => {
    expect(readWaitPreference('wait=9', BOUNDS.defaultMs, 2_500)).to.deep.equal({
      waitMs: 2_500,
      applied: 'wait=3',
    });
  });
  for (const [prefer, waitMs, applied] of cases) {
    it(`${prefer ?? 'nothing'}: ${waitMs} ms`, () => {
      expect(readWaitPreference(prefer, BOUNDS.defaultMs, BOUNDS.maxMs)).to.deep.equal({ waitMs, applied });
    });
  }
});
