import { expect } from 'chai';
import { Stripe } from 'stripe';
import { openSignedEvent } from '../../../../engine/billing/events/read-event.ts';

const SECRET = 'whsec_0123456789abcdef';
const NOW = Date.UTC(2026, 4, 4, 12);

describe('the time of a signature of Stripe', () => {
  const payload = JSON.stringify({ id: 'evt_1' });
  const soon = NOW / 1_000;
  const future = soon + 24 * 3_600;

  /** Opens the event with a signature over `timestamp`, whose header starts with `time`. */
  function open(time: string, timestamp: number): unknown {
    const header = Stripe.webhooks.generateTestHeaderString({ payload, secret: SECRET, timestamp });
    const signature = `${time},${header.split(',')[1]}`;
    return openSignedEvent(Stripe.webhooks, { body: Buffer.from(payload), signature, secrets: [SECRET], now: NOW });
  }

  it('is one number in plain digits', () => {
    expect(open(`t=${soon}`, soon)).to.deep.equal({ id: 'evt_1' });
    const times = [
      `t=${future}`,
      ...[' ', '\t', '+', '\u00a0'].map((before) => `t=${before}${future}`),
      `t=${future}=`,
      `t=${future}s`,
      `t=${soon},t=${future}`,
      `t=${soon}, t=${soon},t=+${future}`,
    ];
    expect(times.filter((time) => open(time, future) !== null)).to.deep.equal([]);
    expect(open(`t=${soon},t=${soon}`, soon)).to.equal(null);
  });
});
