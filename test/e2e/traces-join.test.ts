import { expect } from 'chai';
import { freePort } from '../../ops/local/free-port.ts';
import { openCollector, type ReceivedSpan } from '../ops/runtime/telemetry/collector.ts';
import { eventually } from '../support/eventually.ts';
import { type RunningService, runService } from '../support/running-service.ts';
import { makeDeviceKey, makeDeviceProof, makeSubmission } from '../support/signing.ts';
import { useFixture } from '../support/use-fixture.ts';

const CALLER_TRACE = '0af7651916cd43dd8448eb211c80319c';

/** Creates an operator with a device; returns its token and a function that submits and returns the response status. */
async function member(service: RunningService, codename: string) {
  const { operator, token } = await service.operator(codename);
  const key = makeDeviceKey();
  const iat = Math.floor(service.now / 1_000);
  const proof = makeDeviceProof(key, { codename, iat });
  await service.accounts.devices.enrol({ operator, codename, jwk: key.jwk, proof });
  const counts = { codename, input: 1, output: 2, cache_read: 3, cache_write: 4 };
  const submission = makeSubmission(key, counts, { iat, jti: `of-${codename}` });
  const submit = async (): Promise<number> => {
    const answer = await fetch(`${service.baseUrl}/snapshots`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        traceparent: `00-${CALLER_TRACE}-b7ad6b7169203331-01`,
      },
      body: JSON.stringify(submission),
    });
    return answer.status;
  };
  return { submit, secrets: [token, submission.signature] };
}

async function boardHas(service: RunningService, operators: number): Promise<void> {
  await eventually('the board', async () => {
    const answer = await fetch(`${service.baseUrl}/leaderboard?window=all_time&limit=10`);
    return (await answer.text()).includes(`"total_operators":${operators}`);
  });
}

describe('traces', () => {
  describe('with a collector', () => {
    const collector = useFixture(openCollector);
    let secrets: string[];

    before(async () => {
      const service = await runService({ settings: { OTEL_EXPORTER_OTLP_ENDPOINT: collector().url } });
      const members = await Promise.all(['first-lantern', 'second-lantern'].map((name) => member(service, name)));
      secrets = members.flatMap((each) => each.secrets);
      expect(await Promise.all(members.map(({ submit }) => submit()))).to.deep.equal([200, 200]);
      await boardHas(service, 2);
      // Pending spans are exported when the service stops.
      await service[Symbol.asyncDispose]();
    });

    const named = (name: string): ReceivedSpan[] => collector().spans.filter((span) => span.name === name);
    const childOf = (parent: ReceivedSpan, name: string): ReceivedSpan => {
      const found = named(name).find((span) => span.traceId === parent.traceId && span.parentSpanId === parent.spanId);
      if (found === undefined) throw new Error(`${parent.name} led to no ${name}`);
      return found;
    };

    it('connect a request with its batch, job and steps, and the board version that shows it', () => {
      const [batch] = named('append batch');
      const requests = named('POST submitSnapshot');
      expect(requests.map(({ service }) => service)).to.deep.equal(['upsilon-api', 'upsilon-api']);
      const request = requests.find(({ spanId }) => spanId === batch!.parentSpanId)!;
      const added = childOf(childOf(childOf(request, 'append batch'), 'enqueue batch'), 'add ingest.process-batch');
      const run = childOf(added, 'process ingest');
      expect(run.service).to.equal('upsilon-worker');
      childOf(run, 'verify');
      childOf(run, 'apply');
      const commit = named('commit board').find(
        // A commit that published several batches belongs to the trace of the first.
        ({ parentSpanId, links }) => [parentSpanId, ...links.map(({ spanId }) => spanId)].includes(run.spanId),
      )!;
      expect(commit.attributes.map(({ key }) => key)).to.have.members(['upsilon.version', 'upsilon.operators']);
    });

    it('link every request with its batch and with the trace of its caller', () => {
      const batches = named('append batch');
      for (const request of named('POST submitSnapshot')) {
        expect(request.traceId).not.to.equal(CALLER_TRACE);
        expect(request.parentSpanId ?? '').to.equal('');
        const [caller, ...others] = request.links;
        expect(caller?.traceId).to.equal(CALLER_TRACE);
        const linked = new Set(others.map(({ spanId }) => spanId));
        const own = batches.filter(({ spanId, parentSpanId }) => parentSpanId === request.spanId || linked.has(spanId));
        expect(own.length).to.equal(1);
      }
    });

    it('contain no secret, no submitted data, and no requested address', () => {
      const sent = collector().bodies.join();
      for (const secret of secrets) expect(sent).not.to.include(secret);
      // The snapshots' ids, which the results of jobs contain.
      expect(sent).not.to.match(/of-(first|second)-lantern/);
      expect(sent).not.to.include('limit=10');
    });
  });

  it('affect nothing when the collector is unavailable', async () => {
    const lines: string[] = [];
    const settings = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
    };
    const service = await runService({ settings, onLog: (line) => lines.push(line) });
    const { submit } = await member(service, 'lone-lantern');
    expect(await submit()).to.equal(200);
    await boardHas(service, 1);
    await service[Symbol.asyncDispose]();
    expect(lines.filter((line) => line.includes('did not close'))).to.deep.equal([]);
    expect(lines.filter((line) => line.includes('traces cannot be sent')).length).to.be.below(3);
  });
});
