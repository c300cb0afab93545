import { createServer } from 'node:http';
import { expect } from 'chai';
import { fixedToken } from '../../../cli/src/auth/identity.ts';
import { postForm } from '../../../cli/src/auth/token-requests.ts';
import { type Client, openClient, readRetryAfter, type TokenSource } from '../../../cli/src/net/client.ts';
import { exchange } from '../../../cli/src/net/http.ts';
import { type Outcome, submitSnapshot } from '../../../cli/src/net/submit-snapshot.ts';
import { listenOnFreePort } from '../../support/listen.ts';
import { failureOf } from '../support/parsing.ts';
import { type RecordingService, type Reply, startService } from '../support/recording-service.ts';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const BODY = '{"any":"bytes"}';
const ACCEPTED = { accepted: true, codename: 'test-lantern', rank: 7 };

describe('the client of the service', () => {
  let service: RecordingService | undefined;
  let slept: number[];

  beforeEach(() => {
    slept = [];
  });
  afterEach(async () => {
    await service?.[Symbol.asyncDispose]();
    service = undefined;
  });

  /** A client of a service that gives these replies in turn, the last one for ever. Its pauses take no time. */
  const clientOf = async (...replies: readonly Reply[]): Promise<Client> => {
    service = await startService((_, before) => replies[Math.min(before, replies.length - 1)]!);
    return clientAt(service.baseUrl);
  };
  const clientAt = (baseUrl: string, tokens: TokenSource = fixedToken('a-token')): Client =>
    openClient(baseUrl, tokens, {
      now: () => NOW,
      sleep: (milliseconds) => {
        slept.push(milliseconds);
        return Promise.resolve();
      },
      random: () => 0,
      onWait: () => undefined,
    });

  it('sends the body as it is, with the token in its header', async () => {
    const outcome = await submit(await clientOf({ status: 200, body: ACCEPTED }));
    expect(outcome).to.deep.equal({ kind: 'accepted', rank: 7, hidden: false, changed: true });
    const [request] = service!.requests;
    expect(request).to.include({ method: 'POST', path: '/api/v1/snapshots', body: BODY });
    expect(request!.headers).to.include({ authorization: 'Bearer a-token', 'content-type': 'application/json' });
  });

  it('reports totals that the service already had', async () => {
    const outcome = await submit(await clientOf({ status: 200, body: { ...ACCEPTED, changed: false } }));
    expect(outcome).to.include({ kind: 'accepted', changed: false });
  });

  it('repeats the same bytes after broken connections and failures, with growing pauses', async () => {
    const outcome = await submit(
      await clientOf(null, { status: 500 }, { status: 503 }, { status: 200, body: ACCEPTED }),
    );
    expect(outcome).to.include({ kind: 'accepted' });
    expect(service!.requests.map(({ body }) => body)).to.deep.equal([BODY, BODY, BODY, BODY]);
    expect(slept).to.deep.equal([500, 1000, 2000]);
  });

  it('waits for Retry-After, in seconds or until a date', async () => {
    const until = new Date(NOW + 9_000).toUTCString();
    await submit(
      await clientOf(
        { status: 429, headers: { 'retry-after': '17' } },
        { status: 503, headers: { 'retry-after': until } },
        { status: 200, body: ACCEPTED },
      ),
    );
    expect(slept).to.deep.equal([17_000, 9_000]);
  });

  it('waits for a used-up rate limit, up to two minutes', async () => {
    const usedUp = (reset: string): Reply => ({
      status: 200,
      body: ACCEPTED,
      headers: { 'ratelimit-remaining': '0', 'ratelimit-reset': reset },
    });
    const client = await clientOf(usedUp('7'), usedUp('86400'), { status: 200, body: ACCEPTED });
    for (let request = 0; request < 4; request += 1) await submit(client);
    expect(slept).to.deep.equal([7_000, 120_000]);
  });

  it('ignores the rate limit of a refused request, which has Retry-After', async () => {
    const headers = { 'retry-after': '3', 'ratelimit-remaining': '0', 'ratelimit-reset': '60' };
    await submit(await clientOf({ status: 429, headers }, { status: 200, body: ACCEPTED }));
    expect(slept).to.deep.equal([3_000]);
  });

  it('tries one other token when the first is refused, and no third', async () => {
    await clientOf({ status: 401 });
    let renewals = 0;
    const tokens: TokenSource = {
      get: async () => 'the-first',
      renew: async () => `renewed-${(renewals += 1)}`,
    };
    expect(await submitFailure(clientAt(service!.baseUrl, tokens))).to.include({ exit: 'auth', code: 'http_401' });
    expect(service!.requests.map(({ headers }) => headers.authorization)).to.deep.equal([
      'Bearer the-first',
      'Bearer renewed-1',
    ]);
  });

  it('rejects a response longer than a mebibyte', async () => {
    const long = { detail: 'x'.repeat(1024 * 1024) };
    const failure = await submitFailure(await clientOf({ status: 200, body: long }));
    expect(failure).to.include({ exit: 'network', code: 'unreachable' });
    expect(failure.message).to.include('the response is too long');
  });

  it('gives up on a response that drips', async () => {
    const dripping = createServer((_request, response) => {
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    });
    const url = `http://127.0.0.1:${await listenOnFreePort(dripping)}/`;
    const failure = await failureOf(exchange({ method: 'GET', url, hint: '' }, 200));
    expect(failure.message).to.include('no response within 0.2 seconds');
    dripping.closeAllConnections();
    dripping.close();
  });

  it('leaves a longer wait to the user', async () => {
    const failure = await submitFailure(await clientOf({ status: 429, headers: { 'retry-after': '121' } }));
    expect(failure).to.include({ exit: 'network', code: 'http_429' });
    expect(service!.requests).to.have.length(1);
  });

  it('gives up after five attempts', async () => {
    const problem = { code: 'storage_unavailable', detail: 'The log cannot be written.' };
    const failure = await submitFailure(await clientOf({ status: 500, body: problem }));
    expect(failure).to.include({ exit: 'network', code: 'storage_unavailable' });
    expect(service!.requests).to.have.length(5);
  });

  it('reports that nothing listens', async () => {
    const client = await clientOf({ status: 200 });
    await service![Symbol.asyncDispose]();
    const failure = await submitFailure(client);
    expect(failure).to.include({ exit: 'network', code: 'unreachable' });
    expect(failure.message).to.include('nothing is listening at that address');
  });

  for (const [status, exit, advice] of [
    [400, 'refused', 'What to do.'],
    [401, 'auth', 'upsilon login'],
    [402, 'plan', 'upsilon subscribe'],
    [403, 'auth', 'upsilon login'],
    [404, 'network', '--base-url'],
  ] as const) {
    it(`takes ${status} as final, shows the service's detail and names the service`, async () => {
      const body = { code: 'a_code', detail: 'What happened.', hint: 'What to do.' };
      const failure = await submitFailure(await clientOf({ status, body }));
      expect(failure).to.include({ exit, code: 'a_code' });
      expect(failure.message).to.include('What happened.');
      // The hints of the service are for programs: the tool has its own where it can.
      expect(failure).to.have.property('hint').that.includes(advice);
      expect(failure.message).to.include(service!.baseUrl);
      expect(service!.requests).to.have.length(1);
    });
  }

  it('takes what a service does not offer as final', async () => {
    const code = 'billing_not_configured';
    const failure = await submitFailure(await clientOf({ status: 400, body: { code, detail: 'Not here.' } }));
    expect(failure).to.include({ exit: 'refused', code });
    expect(service!.requests).to.have.length(1);
  });

  it('never follows a redirect, which would carry the token elsewhere', async () => {
    const failure = await submitFailure(await clientOf({ status: 307, headers: { location: '/api/v2/snapshots' } }));
    expect(failure).to.include({ exit: 'network', code: 'redirected' });
    expect(service!.requests).to.have.length(1);
  });

  for (const status of [301, 302, 303, 307, 308]) {
    it(`never follows a redirect with a refresh token either: ${status}`, async () => {
      await clientOf({ status, headers: { location: '/oauth/other' } });
      const failure = await failureOf(postForm(`${service!.baseUrl}/oauth/token`, { refresh_token: 'a-secret' }));
      expect(failure).to.include({ exit: 'network', code: 'redirected' });
      expect(service!.requests).to.have.length(1);
    });
  }

  it('polls for a pending verdict', async () => {
    const pending = { status: 200, body: { accepted: true, codename: 'test-lantern', rank: null, verdict: 'pending' } };
    const outcome = await submit(await clientOf(pending, pending, pending, { status: 200, body: ACCEPTED }));
    expect(outcome).to.deep.equal({ kind: 'accepted', rank: 7, hidden: false, changed: true });
    expect(service!.requests.slice(1).map(({ method, path }) => `${method} ${path}`)).to.deep.equal(
      Array.from({ length: 3 }, () => 'GET /api/v1/snapshots/a-jti'),
    );
  });

  it('stops polling after about a minute', async () => {
    const outcome = await submit(await clientOf({ status: 200, body: { ...ACCEPTED, verdict: 'pending' } }));
    expect(outcome).to.deep.equal({ kind: 'pending' });
    expect(slept.reduce((sum, each) => sum + each, 0)).to.be.within(50_000, 70_000);
  });

  it("reports a refusal's reason and the service's clock", async () => {
    const body = {
      accepted: false,
      codename: 'test-lantern',
      rank: null,
      reason: 'issued_in_future',
      detail: 'Too early.',
    };
    const date = new Date(NOW).toUTCString();
    const outcome = await submit(await clientOf({ status: 200, body, headers: { date } }));
    expect(outcome).to.deep.equal({
      kind: 'refused',
      reason: 'issued_in_future',
      detail: 'Too early.',
      serverTime: date,
    });
  });

  for (const body of [undefined, 'text', [], { accepted: 'yes' }]) {
    it(`takes ${JSON.stringify(body)} for no submission result`, async () => {
      expect(await submitFailure(await clientOf({ status: 200, body }))).to.include({ code: 'answer_unexpected' });
    });
  }

  it("removes control characters from the service's text, which could control the terminal", async () => {
    const body = { code: 'a_code', detail: 'red \u001b[31mtext\u0007' };
    const failure = await submitFailure(await clientOf({ status: 400, body }));
    // oxlint-disable-next-line no-control-regex -- the control characters are what is looked for
    expect(failure.message).not.to.match(/[\u0000-\u001f]/);
  });
});

function submit(client: Client): Promise<Outcome> {
  return submitSnapshot(client, BODY, 'a-jti');
}

function submitFailure(client: Client): Promise<Error> {
  return failureOf(submit(client));
}

describe('Retry-After', () => {
  for (const [value, expected] of [
    ['0', 0],
    [' 30 ', 30_000],
    [new Date(NOW + 5_000).toUTCString(), 5_000],
    [new Date(NOW - 5_000).toUTCString(), 0],
    ['-1', null],
    ['1.5', null],
    ['soon', null],
    ['', null],
    [null, null],
  ] as const) {
    it(`reads ${JSON.stringify(value)} as ${expected === null ? 'nothing' : `${expected} ms`}`, () => {
      expect(readRetryAfter(value, NOW)).to.equal(expected);
    });
  }
});
