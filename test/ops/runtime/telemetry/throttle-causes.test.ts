import { expect } from 'chai';
import { createLogger } from '../../../../ops/runtime/telemetry/index.ts';
import { createThrottle } from '../../../../ops/runtime/telemetry/throttle-causes.ts';

describe('errors in a log', () => {
  it('of one cause are logged once, then every half minute with the number of those left out', () => {
    let now = 0;
    const throttle = createThrottle(() => now);
    const away = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
    const same = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:2'), { code: 'ECONNREFUSED' });
    expect(throttle('a batch', away)).to.equal(0);
    expect(throttle('a count', away)).to.equal(0);
    expect(throttle('a batch', new Error('another trouble'))).to.equal(0);
    expect(throttle('a batch', new Error('connection 7 to 127.0.0.1:1 closed'))).to.equal(0);
    expect(throttle('a batch', new Error('connection 12 to 127.0.0.1:1 closed'))).to.equal(null);
    for (now = 100; now < 30_000; now += 100) expect(throttle('a batch', same)).to.equal(null);
    now = 30_000;
    expect(throttle('a batch', away)).to.equal(299);
  });

  it('leave out neither faults of the program nor lines without an error', () => {
    const lines: string[] = [];
    const log = createLogger({ logLevel: 'info', name: 'test' }, { write: (line) => void lines.push(line) });
    for (let times = 0; times < 3; times++) {
      log.error({ err: new Error('a bug'), code: 'internal_error', instance: String(times) }, 'request failed');
      log.error({ err: new Error('no primary'), code: 'storage_unavailable' }, 'request failed');
      log.info({ batch: 'a' }, 'a batch was logged');
    }
    expect(lines.filter((line) => line.includes('internal_error'))).to.have.length(3);
    expect(lines.filter((line) => line.includes('storage_unavailable'))).to.have.length(1);
    expect(lines.filter((line) => line.includes('a batch was logged'))).to.have.length(3);
  });
});
