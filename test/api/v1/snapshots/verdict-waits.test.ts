import { expect } from 'chai';
import { createVerdictWaits } from '../../../../api/v1/snapshots/verdict-waits.ts';
import type { BatchVerdict } from '../../../../engine/ranking/index.ts';

const LONG_MS = 10_000;
const SHORT_MS = 1;
const TOTALS = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
const VERDICT: BatchVerdict = {
  batch: 'group',
  verdicts: [
    { operator: 1, jti: 'accepted', accepted: true, changed: true },
    { operator: 2, jti: 'accepted', accepted: true, changed: false },
    { operator: 1, jti: 'refused', accepted: false, reason: 'key_revoked', detail: 'a sentence' },
  ],
  totals: [
    [1, TOTALS],
    [2, { ...TOTALS, input: 2 }],
  ],
};

/** What a queue was asked to wait for, and how the test answers. */
interface Asked {
  readonly batch: string;
  readonly signal: AbortSignal;
  readonly answer: (verdict: BatchVerdict | null) => void;
  readonly fail: (error: unknown) => void;
}

describe('waits for the verdicts of groups', () => {
  let asked: Asked[];
  let errors: unknown[];

  function open() {
    asked = [];
    errors = [];
    return createVerdictWaits(
      (batch, signal) =>
        new Promise((answer, fail) => {
          asked.push({ batch, signal, answer, fail });
          signal.addEventListener('abort', () => answer(null));
        }),
      (error) => errors.push(error),
    );
  }

  it('of one group are one, and each gets the verdict of its own entry', async () => {
    const waits = open();
    const found = Promise.all(['accepted', 'refused', 'unknown'].map((jti) => waits.wait('group', 1, jti, LONG_MS)));
    const other = waits.wait('group', 2, 'accepted', LONG_MS);
    expect(asked.map(({ batch }) => batch)).to.deep.equal(['group']);
    asked[0]?.answer(VERDICT);
    const [accepted, others, refused] = VERDICT.verdicts;
    expect(await found).to.deep.equal([
      { verdict: accepted, totals: TOTALS },
      { verdict: refused, totals: null },
      null,
    ]);
    expect(await other, 'with the same jti').to.deep.equal({ verdict: others, totals: { ...TOTALS, input: 2 } });
  });

  it('go on for others when one of them has waited long enough, and end with the last', async () => {
    const waits = open();
    const long = waits.wait('group', 1, 'accepted', LONG_MS);
    expect(await waits.wait('group', 1, 'accepted', SHORT_MS)).to.equal(null);
    expect(asked[0]?.signal.aborted).to.equal(false);
    asked[0]?.answer(VERDICT);
    expect((await long)?.verdict.accepted).to.equal(true);
    expect(asked[0]?.signal.aborted, 'once nothing waits').to.equal(true);
    expect(await waits.wait('group', 1, 'accepted', SHORT_MS)).to.equal(null);
    expect(asked).to.have.length(2);
    expect(asked[1]?.signal.aborted).to.equal(true);
  });

  it('find nothing when the queue fails, which is reported', async () => {
    const waits = open();
    const found = waits.wait('group', 1, 'accepted', LONG_MS);
    asked[0]?.fail('no Redis');
    expect(await found).to.equal(null);
    expect(errors).to.deep.equal(['no Redis']);
  });

  it('end when they are closed, and none begins after that or without time', async () => {
    const waits = open();
    const found = waits.wait('group', 1, 'accepted', LONG_MS);
    expect(await waits.wait('other', 1, 'accepted', 0)).to.equal(null);
    waits.close();
    expect(await found).to.equal(null);
    expect(await waits.wait('later', 1, 'accepted', LONG_MS)).to.equal(null);
    expect(asked.map(({ batch }) => batch)).to.deep.equal(['group']);
  });
});
