import { expect } from 'chai';
import { createComplaint } from '../../../ops/telemetry/index.ts';

describe('complaints', () => {
  it('are told once, then every half minute with how often they came', () => {
    const told: object[] = [];
    let now = 0;
    const complain = createComplaint({ warn: (details: object) => told.push(details) }, () => now);
    const away = new Error('connect ECONNREFUSED');
    complain(away);
    complain(new Error('another trouble'));
    for (now = 100; now < 30_000; now += 100) complain(away);
    expect(told).to.have.length(2);
    now = 30_000;
    complain(away);
    expect(told.at(-1)).to.deep.equal({ err: away, timesSinceTold: 299 });
  });
});
