import { expect } from 'chai';
import { freePort } from '../../../../../ops/local/free-port.ts';
import { type RunningSpan, startTracing } from '../../../../../ops/runtime/telemetry/index.ts';

describe('a span that has ended', () => {
  it('can be changed without a warning: its client may have disconnected before its batch was written', async () => {
    const complaints: unknown[] = [];
    const tracing = await startTracing({
      tracesUrl: `http://127.0.0.1:${await freePort()}/v1/traces`,
      service: 'test',
      logThrottled: (error) => void complaints.push(error),
    });
    const ended: (RunningSpan | null)[] = [];
    await tracing.span('request', {}, async () => void ended.push(tracing.running()));
    const [span] = ended;
    expect(span?.parent).to.match(/^00-/);
    span!.linkTo(span!.parent);
    expect(complaints).to.deep.equal([]);
    await tracing.close();
  });
});
