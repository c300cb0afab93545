import { maxHeaderSize } from 'node:http';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { descriptionFor, member } from '../api/conformance.ts';
import { TEST_SETTINGS } from '../support/api-context.ts';
import { runsOf } from '../support/long-run.ts';
import { runSeed } from '../support/seeded-random.ts';
import { openTestApi, type TestOperator } from '../support/test-api.ts';
import { useFixture } from '../support/use-fixture.ts';
import { createCaseTable } from './support/case-table.ts';
import { type FuzzedRequest, operationsOf, requestsTo } from './support/request-arbitraries.ts';
import { settledHeap } from './support/settled-heap.ts';

/** Requests to each operation. */
const RUNS = runsOf(5, 300, 'FUZZ_RUNS');

/** Rounds of requests until an operation answered in different ways. */
const MOST_ROUNDS = 10;

/** What the heap may gain over a second helping of the same requests, in bytes: caches are full by then. */
const HEAP_ALLOWANCE_BYTES = 12 * 2 ** 20;

/** Bytes of the path and of the headers that a test chose. */
function headBytes(path: string, headers: Readonly<Record<string, string>>): number {
  return Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, path.length);
}

describe('abuse: requests from the API description', () => {
  const seed = runSeed();
  const table = createCaseTable(`abuse: requests from the API description (seed ${seed})`);
  const document = descriptionFor(TEST_SETTINGS);
  const operations = operationsOf(document);
  const test = useFixture(openTestApi);
  let sender: TestOperator;
  let senders = 0;

  before(async () => {
    const { operator } = await test().operator('known-reader');
    await test().api.ctx.members.setOpen(operator, true, null);
    await newSender();
  });

  after(() => table.print());

  async function newSender(): Promise<void> {
    senders += 1;
    sender = await test().operator(`fuzzed-${senders}`);
  }

  /** Sends it and returns the status. `send` checks the response against the description. */
  async function send({ method, path, token, headers, body }: FuzzedRequest): Promise<number> {
    const bearer = token === 'own' ? sender.token : token;
    const authorization: Record<string, string> = token === 'none' ? {} : { authorization: `Bearer ${bearer}` };
    const init = { method, headers: { ...authorization, ...headers }, ...(body === undefined ? {} : { body }) };
    if (headBytes(path, init.headers) > maxHeaderSize) return refusedUnread(path, init);
    const { status, json, headers: answered } = await test().send(path, init);
    expect(status, `${method} ${path}`).to.be.below(500);
    if (status >= 400 && method !== 'HEAD') {
      expect(answered.get('content-type'), `${method} ${path}`).to.match(/^application\/problem\+json/);
      expect(json, `${method} ${path}`).to.include.all.keys('type', 'title', 'status', 'code', 'detail');
      expect(json?.['status']).to.equal(status);
    }
    if (method === 'DELETE' && path.includes('/me') && status === 200) await newSender();
    return status;
  }

  /** A head above the limit is refused before it is read, so the response has no headers of the operation. */
  async function refusedUnread(path: string, init: RequestInit): Promise<number> {
    const response = await fetch(`${test().origin}${path}`, init);
    const { status } = response;
    expect({ status, code: member(await response.json(), 'code') }).to.deep.equal({
      status: 400,
      code: 'request_malformed',
    });
    return status;
  }

  for (const operation of operations) {
    it(`answers ${operation.id} as documented, whatever is sent (seed ${seed})`, async () => {
      const known = ['known-reader', sender.codename, sender.key.kid, 'unknown-one'];
      const requests = requestsTo(operation, document, operation.base ?? '/api/v1', known);
      const property = fc.asyncProperty(requests, async (request) => void seen.add(await send(request)));
      const seen = new Set<number>();
      // A paid operation without parameters has one response to every request without a payment.
      const least = ['getPremiumApiAccess', 'getTierPopulations'].includes(operation.id) ? 0 : 1;
      let rounds = 0;
      // The requests of a round can all have the same token, or all a wrong body.
      for (; rounds < MOST_ROUNDS && seen.size <= least; rounds += 1) {
        await fc.assert(property, { seed: seed + rounds, numRuns: RUNS });
      }
      table.note(operation.id, `${rounds * RUNS} requests: ${[...seen].sort((a, b) => a - b).join(', ')}`);
      expect(seen.size, `${operation.id} was only ever answered ${[...seen].join()}`).to.be.above(least);
    });
  }

  it('leaves the board and the operators unchanged', async () => {
    const { status, json } = await test().get('/api/v1/operators/known-reader');
    expect(status).to.equal(200);
    expect(json).to.deep.include({ codename: 'known-reader', rank: null });
    expect(Reflect.get({}, 'listed') ?? Reflect.get({}, 'polluted')).to.equal(undefined);
  });

  it('stores nothing from refused requests', async () => {
    const helping = operations.flatMap((operation) =>
      fc.sample(requestsTo(operation, document, operation.base ?? '/api/v1', ['known-reader']), {
        seed,
        numRuns: RUNS,
      }),
    );
    for (const request of helping) await send(request);
    const before = await settledHeap();
    for (const request of helping) await send(request);
    expect((await settledHeap()) - before).to.be.below(HEAP_ALLOWANCE_BYTES);
  });
});
