import { expect } from 'chai';
import { createThrottledLog } from '../../../../ops/runtime/telemetry/index.ts';

describe('the throttled log', () => {
  it('logs an error once, then every half minute with the number of suppressed ones', () => {
    const logged: object[] = [];
    let now = 0;
    const logThrottled = createThrottledLog({ warn: (details: object) => logged.push(details) }, () => now);
    const away = new Error('connect ECONNREFUSED');
    logThrottled(away);
    logThrottled(new Error('another trouble'));
    for (now = 100; now < 30_000; now += 100) logThrottled(away);
    expect(logged).to.have.length(2);
    now = 30_000;
    logThrottled(away);
    expect(logged.at(-1)).to.deep.equal({ err: away, suppressedCount: 299 });
  });
});
