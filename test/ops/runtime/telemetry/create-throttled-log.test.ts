import { expect } from 'chai';
import { createThrottledLog } from '../../../../ops/runtime/telemetry/index.ts';

describe('complaints', () => {
  it('are told once, then every half minute with how often they came', () => {
    const told: object[] = [];
    let now = 0;
    const logThrottled = createThrottledLog({ warn: (details: object) => told.push(details) }, () => now);
    const away = new Error('connect ECONNREFUSED');
    logThrottled(away);
    logThrottled(new Error('another trouble'));
    for (now = 100; now < 30_000; now += 100) logThrottled(away);
    expect(told).to.have.length(2);
    now = 30_000;
    logThrottled(away);
    expect(told.at(-1)).to.deep.equal({ err: away, suppressedCount: 299 });
  });
});
