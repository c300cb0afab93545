import { expect } from 'chai';
import { createVerdictWaits } from '../../../../api/v1/snapshots/verdict-waits.ts';
import type { BatchVerdict } from '../../../../engine/ranking/index.ts';

const LONG_MS = 10_000;
const SHORT_MS = 1;
const TOTALS = { input: 1, output: 2, cache_read: 3, cache_write: 4, row: null };
const VERDICT: BatchVerdict = {
  batch: 'batch',
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

/** A wait requested from the queue, and the test's means to settle it. */
interface Asked {
  readonly batch: string;
  readonly signal: AbortSignal;
  readonly answer: (verdict: BatchVerdict | null) => void;
  readonly fail: (error: unknown) => void;
}

describe('waits for the verdicts of batches', () => {
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

  it('share one wait per batch, and each gets the verdict of its entry', async () => {
    const waits = open();
    const found = Promise.all(['accepted', 'refused', 'unknown'].map((jti) => waits.wait('batch', 1, jti, LONG_MS)));
    const other = waits.wait('batch', 2, 'accepted', LONG_MS);
    expect(asked.map(({ batch }) => batch)).to.deep.equal(['batch']);
    asked[0]?.answer(VERDICT);
    const [accepted, others, refused] = VERDICT.verdicts;
    expect(await found).to.deep.equal([
      { verdict: accepted, totals: TOTALS },
      { verdict: refused, totals: null },
      null,
    ]);
    expect(await other, 'with the same jti').to.deep.equal({ verdict: others, totals: { ...TOTALS, input: 2 } });
  });

  it('continue for others when one times out, and end with the last', async () => {
    const waits = open();
    const long = waits.wait('batch', 1, 'accepted', LONG_MS);
    expect(await waits.wait('batch', 1, 'accepted', SHORT_MS)).to.equal(null);
    expect(asked[0]?.signal.aborted).to.equal(false);
    asked[0]?.answer(VERDICT);
    expect((await long)?.verdict.accepted).to.equal(true);
    expect(asked[0]?.signal.aborted, 'once nothing waits').to.equal(true);
    expect(await waits.wait('batch', 1, 'accepted', SHORT_MS)).to.equal(null);
    expect(asked).to.have.length(2);
    expect(asked[1]?.signal.aborted).to.equal(true);
  });

  it('return null when the queue fails, and report the failure', async () => {
    const waits = open();
    const found = waits.wait('batch', 1, 'accepted', LONG_MS);
    asked[0]?.fail('no Redis');
    expect(await found).to.equal(null);
    expect(errors).to.deep.equal(['no Redis']);
  });

  it('end when closed, and none begins after that or with no time left', async () => {
    const waits = open();
    const found = waits.wait('batch', 1, 'accepted', LONG_MS);
    expect(await waits.wait('other', 1, 'accepted', 0)).to.equal(null);
    waits.close();
    expect(await found).to.equal(null);
    expect(await waits.wait('later', 1, 'accepted', LONG_MS)).to.equal(null);
    expect(asked.map(({ batch }) => batch)).to.deep.equal(['batch']);
  });
});
