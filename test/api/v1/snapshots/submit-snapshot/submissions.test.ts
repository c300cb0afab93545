import { expect } from 'chai';
import { LIMITS } from '../../../../../config/limits.ts';
import { eventually } from '../../../../support/eventually.ts';
import { makeSubmission } from '../../../../support/signing.ts';
import { type Answered, openTestApi } from '../../../../support/test-api.ts';
import { useFixture, useFreshFixture } from '../../../../support/use-fixture.ts';

const SNAPSHOTS = '/api/v1/snapshots';

describe('api: submitting snapshots', () => {
  const test = useFixture(openTestApi);

  let count = 0;

  beforeEach(async () => {
    count += 1;
  });
  const operator = useFreshFixture(() => test().operator(`sender-${count}`));

  const submit = (body: unknown, headers: Record<string, string> = {}): Promise<Answered> =>
    test().post(SNAPSHOTS, operator().token, body, headers);

  it('accepts a signed snapshot and answers its rank', async () => {
    const body = test().snapshot(operator());
    const { status, json, headers } = await submit(body);
    expect(status).to.equal(200);
    expect(json).to.deep.include({ accepted: true, codename: operator().codename, changed: true, verdict: 'final' });
    expect(json?.['rank']).to.equal(1);
    expect(json).to.not.have.any.keys('reason', 'detail', 'status_url');
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(headers.get('access-control-allow-origin')).to.equal('*');
    expect(headers.get('preference-applied')).to.equal(null);
  });

  it('says that nothing changed when the counts are not above what is known', async () => {
    await submit(test().snapshot(operator(), { output: 50 }));
    const { json } = await submit(test().snapshot(operator(), { output: 40 }));
    expect(json).to.deep.include({ accepted: true, changed: false, verdict: 'final' });
  });

  it('has no rank for an operator that cannot be ranked', async () => {
    const { json } = await submit(test().snapshot(operator(), { input: 0 }));
    expect(json).to.deep.include({ accepted: true, rank: null, verdict: 'final' });
  });

  it('compares codenames without case and answers the stored one', async () => {
    const sent = operator().codename.toUpperCase();
    const { json } = await submit(test().snapshot({ ...operator(), codename: sent }));
    expect(json).to.deep.include({ accepted: true, codename: operator().codename });
  });

  it('takes a codename that another process gave the operator a moment ago', async () => {
    await submit(test().snapshot(operator()));
    const codename = `renamed-${count}`;
    await test().ranking.operators.rename(operator().operator, codename);
    const { json } = await submit(test().snapshot({ ...operator(), codename }, { output: 30 }));
    expect(json).to.deep.include({ accepted: true, codename, verdict: 'final' });
  });

  it('counts only what is signed, and tolerates the rest', async () => {
    const { json } = await submit({ ...test().snapshot(operator()), note: 'hello', nested: { deep: [1, 2] } });
    expect(json).to.deep.include({ accepted: true, verdict: 'final' });
  });

  it('takes minus zero as zero', async () => {
    const zeros = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
    const body = JSON.stringify(test().snapshot(operator(), zeros)).replaceAll(
      /"(input|output|cache_\w+)":0/g,
      '"$1":-0',
    );
    expect(body.match(/:-0/g)).to.have.length(4);
    expect((await submit(body)).json).to.deep.include({ accepted: true, verdict: 'final' });
  });

  it('answers a refusal with its reason, and no rank', async () => {
    const jti = 'refused-1';
    const { status, json } = await submit({ ...test().snapshot(operator(), {}, { jti }), output: 21 });
    expect(status).to.equal(200);
    expect(json).to.deep.include({ accepted: false, rank: null, verdict: 'final', reason: 'signature_invalid', jti });
    expect(json?.['detail']).to.match(/^The signature does not fit these counts/);
    const later = await test().get(`${SNAPSHOTS}/${jti}`, { authorization: `Bearer ${operator().token}` });
    expect(later.json).to.deep.equal(json);
  });

  it('answers a repeated snapshot with its first verdict, counted once', async () => {
    const body = test().snapshot(operator());
    const first = await submit(body);
    const second = await submit(body);
    expect(second.json).to.deep.equal(first.json);
    expect(second.json).to.deep.include({ changed: true });
  });

  it('refuses a used jti with other content', async () => {
    await submit(test().snapshot(operator(), {}, { jti: 'used-before' }));
    const { status, json } = await submit(test().snapshot(operator(), { output: 77 }, { jti: 'used-before' }));
    expect(status).to.equal(400);
    expect(json?.['code']).to.equal('jti_conflict');
  });

  it('lets two operators use the same jti', async () => {
    const other = await test().operator(`other-${count}`);
    await submit(test().snapshot(operator(), {}, { jti: 'shared-jti' }));
    const { json } = await test().post(SNAPSHOTS, other.token, test().snapshot(other, {}, { jti: 'shared-jti' }));
    expect(json).to.deep.include({ accepted: true, codename: other.codename });
  });

  it('refuses a codename that is not that of the token', async () => {
    const { status, json } = await submit(test().snapshot({ ...operator(), codename: 'somebody-else' }));
    expect(status).to.equal(400);
    expect(json?.['code']).to.equal('codename_mismatch');
    expect(json?.['errors']).to.have.nested.property('[0].pointer', '/codename');
  });

  describe('waiting for the verdict', () => {
    afterEach(async () => {
      test().queue.mode = 'judge';
      await test().queue.release();
    });

    it('does not wait when asked to respond at once, and returns the verdict later', async () => {
      test().queue.mode = 'hold';
      const body = test().snapshot(operator(), {}, { jti: 'asynchronous' });
      const { status, json, headers } = await submit(body, { prefer: 'respond-async' });
      expect(status).to.equal(200);
      expect(json).to.deep.equal({
        accepted: true,
        codename: operator().codename,
        rank: null,
        verdict: 'pending',
        jti: 'asynchronous',
        status_url: 'http://upsilon.test/api/v1/snapshots/asynchronous',
      });
      expect(headers.get('preference-applied')).to.equal('respond-async');
      const authorization = `Bearer ${operator().token}`;
      const pending = await test().get(`${SNAPSHOTS}/asynchronous`, { authorization });
      expect(pending.json).to.deep.equal(json);
      await test().queue.release();
      const final = await test().get(`${SNAPSHOTS}/asynchronous`, { authorization });
      expect(final.json).to.deep.include({ accepted: true, verdict: 'final', changed: true });
      expect(final.json?.['rank']).to.equal(1);
    });

    it('waits no longer than the client prefers', async () => {
      test().queue.mode = 'hold';
      const { json, headers } = await submit(test().snapshot(operator()), { prefer: 'wait=1' });
      expect(json).to.deep.include({ accepted: true, verdict: 'pending' });
      expect(headers.get('preference-applied')).to.equal('wait=1');
    });

    it('waits for the verdict of a repeated snapshot that has none yet', async () => {
      test().queue.mode = 'hold';
      const body = test().snapshot(operator());
      await submit(body, { prefer: 'wait=0' });
      const repeated = submit(body);
      await test().queue.release();
      expect((await repeated).json?.['accepted']).to.equal(true);
    });

    it('acknowledges what is logged when the queue is out of reach', async () => {
      test().queue.mode = 'fail';
      const { status, json } = await submit(test().snapshot(operator(), {}, { jti: 'not-queued' }), {
        prefer: 'wait=0',
      });
      expect(status).to.equal(200);
      expect(json).to.deep.include({ accepted: true, rank: null, verdict: 'pending' });
      expect(await test().ranking.log.findVerdict(operator().operator, 'not-queued')).to.include({ verdict: null });
    });

    it('waits no longer than is allowed, whatever the client prefers', async () => {
      const { headers } = await submit(test().snapshot(operator()), { prefer: 'wait=86400' });
      expect(headers.get('preference-applied')).to.equal(`wait=${LIMITS.http.preferWaitMs / 1_000}`);
    });

    it('refuses for a while when too many snapshots wait', async () => {
      test().queue.waitingSnapshots = LIMITS.ingest.backlogEntries;
      expect((await submit(test().snapshot(operator()))).status).to.equal(200);
      test().queue.waitingSnapshots = LIMITS.ingest.backlogEntries + 1;
      try {
        const { status, json, headers } = await submit(test().snapshot(operator()));
        expect(status).to.equal(429);
        expect(json?.['code']).to.equal('backlog_full');
        expect(Number(headers.get('retry-after'))).to.be.greaterThan(0);
      } finally {
        test().queue.waitingSnapshots = 0;
      }
    });
  });

  describe('asking for a verdict', () => {
    it('knows only the own snapshots', async () => {
      await submit(test().snapshot(operator(), {}, { jti: 'private-1' }));
      const other = await test().operator(`curious-${count}`);
      for (const [token, jti] of [
        [other.token, 'private-1'],
        [operator().token, 'never-sent'],
        [operator().token, 'x'],
        [operator().token, '%00'],
      ]) {
        const { status, json } = await test().get(`${SNAPSHOTS}/${jti}`, { authorization: `Bearer ${token}` });
        expect(status, jti).to.equal(404);
        expect(json?.['code']).to.equal('snapshot_unknown');
      }
    });
  });

  it('writes what arrives together in few groups', async () => {
    test().queue.enqueued.length = 0;
    const bodies = Array.from({ length: 60 }, (_, index) => test().snapshot(operator(), { output: 100 + index }));
    const answers = await Promise.all(bodies.map((body) => submit(body)));
    expect(answers.every(({ json }) => json?.['verdict'] === 'final')).to.equal(true);
    expect(test().queue.enqueued.length).to.be.lessThan(40);
  });
});

describe('api: submitting under a plan', () => {
  it('asks operators without a plan to get one, and serves those who have it', async () => {
    await using test = await openTestApi({ settings: { enforcePlan: true } });
    const operator = await test.operator('free-rider');
    const refused = await test.post(SNAPSHOTS, operator.token, test.snapshot(operator));
    expect(refused.status).to.equal(402);
    expect(refused.json).to.deep.include({ code: 'plan_required', status: 402 });
    expect(refused.json?.['hint']).to.match(/POST \/billing\/subscribe/);
    expect(refused.headers.get('link')).to.equal('<http://upsilon.test/api/v1/billing/subscribe>; rel="payment"');
    expect((await test.post(SNAPSHOTS, operator.token, {})).json, 'before a look at the body').to.include({
      code: 'plan_required',
    });
    await test.accounts.setPlan(operator.operator, 'monthly');
    test.now += 10_000;
    expect((await test.post(SNAPSHOTS, operator.token, test.snapshot(operator))).status).to.equal(200);
  });
});

describe('api: submitting while a store fails', () => {
  it('acknowledges nothing that was not logged', async () => {
    await using test = await openTestApi({
      context: ({ ranking }) => ({
        ranking: { ...ranking, log: { ...ranking.log, append: () => Promise.reject(new Error('no primary')) } },
      }),
    });
    const operator = await test.operator('unlucky-one');
    const { status, json, text } = await test.post(SNAPSHOTS, operator.token, test.snapshot(operator));
    expect(status).to.equal(500);
    expect(json?.['code']).to.equal('storage_unavailable');
    expect(text).to.not.include('no primary');
  });

  it('answers every waiting submission when it drains, and refuses the next', async () => {
    await using test = await openTestApi({ settings: { verdictWaitMs: 60_000 } });
    const operator = await test.operator('draining-one');
    test.queue.mode = 'hold';
    const key = operator.key;
    let answered: Answered | null = null;
    const submission = makeSubmission(key, test.snapshot(operator), { iat: test.now / 1000 });
    const waiting = test.post(SNAPSHOTS, operator.token, submission).then((answer) => (answered = answer));
    await eventually('a batch in the queue', () => test.queue.held.length > 0);
    await test.api.drain();
    // Long before its wait ends.
    await eventually('its answer', () => answered);
    expect((await waiting).json).to.deep.include({ accepted: true, verdict: 'pending' });
    expect((await test.post(SNAPSHOTS, operator.token, test.snapshot(operator))).json?.['code']).to.equal(
      'backlog_full',
    );
  });
});
