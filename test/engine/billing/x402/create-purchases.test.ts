import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  createPurchases,
  type PurchaseOptions,
  type PurchaseOrder,
  type Purchases,
} from '../../../../engine/billing/index.ts';
import {
  ANSWER_RETENTION_MS,
  CLOCK_TOLERANCE_S,
  MIN_SETTLING_VALIDITY_S,
} from '../../../../engine/billing/x402/limits.ts';
import { openMongo } from '../../../../engine/mongo/index.ts';
import { openDatabase } from '../../../support/engines.ts';
import { openRecorded } from '../../../support/sent-commands.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { startFacilitator } from '../../../support/x402/local-facilitator.ts';
import { signPayment, termsOf } from '../../../support/x402/payments.ts';
import { scriptedFacilitator } from '../../../support/x402/scripted-facilitator.ts';
import { USDC } from '../../../support/x402/usdc.ts';

const PAYEE = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const payer = privateKeyToAccount(generatePrivateKey());
const TERMS = termsOf(USDC, PAYEE);

/** Longer than any lease: holders of purchases have lost theirs. */
const LEASE_IS_OVER_MS = 61_000;

describe('purchases', () => {
  const database = useFixture(openDatabase);
  const connection = () => database().connection;
  const facilitator = useFixture(() => startFacilitator(scriptedFacilitator()));
  const shop = useFixture(() => another());
  let now: number;
  const reported: string[] = [];

  before(() => shop().ensureIndexes());

  beforeEach(() => {
    now = Date.now();
    facilitator().mischief = {};
    facilitator().calls.verify = 0;
    facilitator().calls.settle = 0;
    reported.length = 0;
  });

  /** The same shop as another process has it. */
  function another(changes: Partial<PurchaseOptions> = {}): Purchases {
    return createPurchases({
      connection: connection(),
      clock: () => now,
      config: { facilitatorUrl: facilitator().url, rpcUrl: null },
      report: { purchased: (end) => void reported.push(end), failed: (error) => void reported.push(String(error)) },
      ...changes,
    });
  }

  const make = (text: string): Promise<string> =>
    shop().answers.store({ key: 'k', mediaType: 'text/plain', headers: {}, parts: [text] });

  async function order(changes: Partial<PurchaseOrder> = {}): Promise<PurchaseOrder> {
    const { payload } = await signPayment(payer, { to: PAYEE });
    return { resource: 'GET /thing', payment: payload, terms: TERMS, prepare: () => make('content'), ...changes };
  }

  const booked = () => connection().db!.collection('payments').countDocuments();

  it('are executed once by any number of processes, and all return the same answer', async () => {
    const before = await booked();
    let prepared = 0;
    const wanted = await order({
      prepare: () => {
        prepared += 1;
        return make(`content ${prepared}`);
      },
    });
    const shops = [shop(), another(), another(), another()];
    const ends = await Promise.all(shops.flatMap((one) => [one.buy(wanted), one.buy(wanted), one.buy(wanted)]));
    const sold = ends.flatMap((end) => (end.kind === 'sold' ? [end] : []));
    expect(sold).to.have.length(12);
    expect(new Set(sold.map(({ answer }) => answer)).size).to.equal(1);
    expect(new Set(sold.map(({ receipt }) => receipt.transaction)).size).to.equal(1);
    expect(prepared).to.equal(1);
    expect(facilitator().calls).to.deep.equal({ verify: 1, settle: 1 });
    expect((await booked()) - before).to.equal(1);
    expect(reported.filter((end) => end === 'sold')).to.have.length(1);
  });

  // Seconds from now, in the middle of a second: the first and last that are accepted.
  for (const [validAfter, validBefore, fault] of [
    [0, MIN_SETTLING_VALIDITY_S, null],
    [0, MIN_SETTLING_VALIDITY_S - 1, 'expired'],
    [1, 60, 'not_valid_yet'],
    [0, TERMS.maxTimeoutSeconds + CLOCK_TOLERANCE_S, null],
    [0, TERMS.maxTimeoutSeconds + CLOCK_TOLERANCE_S + 1, 'valid_too_long'],
  ] as const) {
    it(`with a payment valid from ${validAfter} s until ${validBefore} s from now: ${fault ?? 'sold'}`, async () => {
      const seconds = Math.floor(now / 1_000);
      now = seconds * 1_000 + 500;
      const times = { validAfter: seconds + validAfter, validBefore: seconds + validBefore };
      const { payload } = await signPayment(payer, { to: PAYEE, ...times });
      const outcome = await shop().buy(await order({ payment: payload }));
      if (fault === null) expect(outcome).to.include({ kind: 'sold' });
      else expect(outcome).to.include({ kind: 'refused', stage: 'verify', reason: fault });
    });
  }

  it('leave nothing stored when the answer cannot be created, and cost nothing', async () => {
    const wanted = await order();
    const failing = { ...wanted, prepare: () => Promise.reject(new Error('no answer')) };
    let thrown: unknown;
    await shop()
      .buy(failing)
      .catch((error: unknown) => {
        thrown = error;
      });
    expect(thrown).to.be.an('error').with.property('message', 'no answer');
    expect(facilitator().calls.settle).to.equal(0);
    expect((await shop().buy(wanted)).kind).to.equal('sold');
  });

  it('need a facilitator, but settled ones are returned without it', async () => {
    const closed = another({ config: null });
    const wanted = await order();
    expect((await closed.buy(wanted)).kind).to.equal('unavailable');
    const { kind, answerReceipt } = await shop().buy(wanted);
    expect(kind).to.equal('sold');
    expect(await closed.buy({ ...wanted, answerReceipt: answerReceipt ?? '' })).to.include({
      kind: 'sold',
      repeated: true,
    });
  });

  it('are of one signature: the same authorization with another one is another payment', async () => {
    const wanted = await order();
    const { answerReceipt = '' } = await shop().buy(wanted);
    const { authorization, signature } = wanted.payment;
    const other = { ...wanted, answerReceipt, payment: { authorization, signature: `${signature}00` } };
    expect(await shop().buy(other)).to.deep.equal({ kind: 'reused', why: 'other_content' });
    for (const [name, value] of Object.entries({
      to: payer.address,
      value: '10001',
      validAfter: '1',
      validBefore: '2',
    })) {
      const payment = { signature, authorization: { ...authorization, [name]: value } };
      expect(await shop().buy({ ...wanted, answerReceipt, payment }), name).to.deep.equal({
        kind: 'reused',
        why: 'other_content',
      });
    }
    expect(await shop().buy({ ...wanted, answerReceipt })).to.include({ kind: 'sold', repeated: true });
  });

  it('wait for the process that settles them, also where there is no facilitator', async () => {
    const wanted = await order();
    const claim = await payer.signMessage({ message: claimTextOf(wanted) });
    const gate = new EventEmitter();
    const settling = once(gate, 'settling');
    const waitedFor = once(gate, 'waited for');
    facilitator().mischief = {
      before: async (operation) => {
        if (operation !== 'settle') return false;
        gate.emit('settling');
        await waitedFor;
        return false;
      },
    };
    const first = shop().buy(wanted);
    await settling;
    const clock = (): number => {
      // It has read the purchase by now.
      gate.emit('waited for');
      return now;
    };
    const closed = another({ config: null, clock });
    expect(await closed.buy({ ...wanted, claim })).to.include({ kind: 'sold', repeated: true });
    expect(await first).to.include({ kind: 'sold', repeated: false });
    expect(facilitator().calls.settle).to.equal(1);
  });

  it('are returned for the newest receipt, however many claims came before', async () => {
    const wanted = await order();
    const claim = await payer.signMessage({ message: claimTextOf(wanted) });
    let { answerReceipt = '' } = await shop().buy(wanted);
    for (let claims = 0; claims < 9; claims += 1) {
      ({ answerReceipt = '' } = await shop().buy({ ...wanted, claim }));
    }
    expect(await shop().buy({ ...wanted, answerReceipt })).to.include({ kind: 'sold', answerReceipt });
  });

  it('are settled once when the lease ends while the answer is prepared', async () => {
    const other = await order();
    const wanted = {
      ...other,
      prepare: async () => {
        now += LEASE_IS_OVER_MS;
        expect(await another().buy(other)).to.include({ kind: 'sold', repeated: false });
        return make('too late');
      },
    };
    expect(await shop().buy(wanted)).to.include({ kind: 'sold', repeated: true });
    expect(facilitator().calls.settle).to.equal(1);
  });

  for (const [status, errorReason] of [
    [200, 'settlement_pending'],
    [500, 'an_error_of_its_own'],
  ] as const) {
    it(`may have been paid after ${errorReason} with status ${status}, and keep their answer`, async () => {
      facilitator().mischief = {
        before: (operation, response) => {
          if (operation === 'verify') return false;
          const body = { success: false, errorReason, payer: payer.address, transaction: '', network: TERMS.network };
          response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
          return true;
        },
      };
      let prepared = '';
      const wanted = await order({ prepare: async () => (prepared = await make('in doubt')) });
      expect((await shop().buy(wanted)).kind).to.equal('unsettled');
      now += 2 * ANSWER_RETENTION_MS;
      await shop().maintain();
      expect(await shop().answers.open(prepared)).to.not.equal(null);
    });
  }

  it('continue after the facilitator was unreachable', async () => {
    const wanted = await order();
    facilitator().mischief = { before: (_, response) => Boolean(response.destroy()) };
    expect((await shop().buy(wanted)).kind).to.equal('unavailable');
    facilitator().mischief = {};
    expect((await shop().buy(wanted)).kind).to.equal('sold');
  });

  it('are refused with the reason of the facilitator, also when it responds with an error status', async () => {
    for (const status of [200, 400]) {
      facilitator().mischief = {
        before: (operation, response) => {
          const no = { payer: payer.address, transaction: '', network: TERMS.network };
          const body =
            operation === 'verify'
              ? { isValid: false, invalidReason: 'no_such_luck', ...no }
              : { success: false, errorReason: 'never', ...no };
          response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
          return true;
        },
      };
      expect(await shop().buy(await order())).to.deep.equal({
        kind: 'refused',
        stage: 'verify',
        reason: 'no_such_luck',
      });
    }
  });

  it('stop calling the facilitator after consecutive failures, and call it again later', async () => {
    const breaker: boolean[] = [];
    const shy = another({ report: { facilitatorBreaker: (open) => void breaker.push(open) } });
    facilitator().mischief = {
      before: (_, response) => {
        response.writeHead(503).end('out of order');
        return true;
      },
    };
    for (let tries = 0; tries < 8; tries += 1) expect((await shy.buy(await order())).kind).to.equal('unavailable');
    expect(facilitator().calls.verify).to.equal(5);
    expect(breaker).to.deep.equal([true]);
  });

  /** A shop that loses its database when the facilitator is asked, or has done, something. */
  async function doomed(when: 'before' | 'after', at: 'verify' | 'settle'): Promise<Purchases> {
    const own = await openMongo(database().mongoUrl);
    facilitator().mischief = {
      [when]: async (operation: string) => {
        if (operation === at) await own.close();
        return false;
      },
    };
    return another({ connection: own });
  }

  async function die(purchases: Purchases, wanted: PurchaseOrder): Promise<void> {
    const [end] = await Promise.allSettled([purchases.buy(wanted)]);
    facilitator().mischief = {};
    expect(end.status).to.equal('rejected');
  }

  describe('whose process dies', () => {
    for (const when of ['before', 'after'] as const) {
      it(`${when} verifying: nothing moved, and the next try buys it`, async () => {
        const wanted = await order();
        await die(await doomed(when, 'verify'), wanted);
        expect(facilitator().calls.settle).to.equal(0);
        now += LEASE_IS_OVER_MS;
        expect((await shop().buy(wanted)).kind).to.equal('sold');
        expect(facilitator().calls.settle).to.equal(1);
      });
    }

    it('after the money moved: no result denies it, and it does not move again', async () => {
      const wanted = await order();
      const before = await booked();
      await die(await doomed('after', 'settle'), wanted);
      now += LEASE_IS_OVER_MS;
      // Without a chain to look at, and with a facilitator that only knows that the nonce is spent, it stays open.
      const claim = await payer.signMessage({ message: claimTextOf(wanted) });
      expect((await shop().buy({ ...wanted, claim })).kind).to.equal('unsettled');
      expect((await shop().buy({ ...wanted, claim })).kind).to.equal('unsettled');
      expect((await booked()) - before).to.equal(0);
      await shop().maintain();
      const { nonce } = wanted.payment.authorization;
      const open = { state: 'settling', 'transfer.authorization.nonce': nonce };
      expect(await connection().db!.collection('purchases').countDocuments(open)).to.equal(1);
      now += 2 * LEASE_IS_OVER_MS;
      await shop().maintain();
      expect((await shop().buy({ ...wanted, claim })).kind, 'after maintenance without a chain').to.equal('unsettled');
    });

    it('before the payment is recorded: maintenance records it, once', async () => {
      const wanted = await order();
      const before = await booked();
      expect((await shop().buy(wanted)).kind).to.equal('sold');
      // As a process leaves it that dies between the two writes.
      await connection().db!.collection('payments').deleteMany({ 'references.resource': wanted.resource });
      await connection()
        .db!.collection('purchases')
        .updateMany({ state: 'settled' }, { $set: { recorded: false } });
      const sold = await connection().db!.collection('purchases').countDocuments({ state: 'settled' });
      await shop().maintain();
      expect(await booked()).to.equal(sold);
      expect(sold).to.be.at.least(before);
      await shop().maintain();
      expect(await booked()).to.equal(sold);
    });
  });

  it('are marked as booked once they are booked: a process that dies in between leaves them to maintenance', async () => {
    const recorded = await openRecorded(database());
    expect((await another({ connection: recorded.connection }).buy(await order())).kind).to.equal('sold');
    await recorded.connection.close();
    const { sent } = recorded;
    expect(sent).to.include('done insert payments');
    expect(sent.indexOf('done insert payments')).to.be.below(sent.lastIndexOf('update purchases'));
  });

  it('that are not recorded are not deleted, however old and however many', async () => {
    const purchases = connection().db!.collection<{ _id: string }>('purchases');
    const wanted = await order();
    expect((await shop().buy(wanted)).kind).to.equal('sold');
    const sample = await purchases.findOne({ 'transfer.authorization.nonce': wanted.payment.authorization.nonce });
    const old = { recorded: false, settled_at: new Date(now - 48 * 3_600_000) };
    const many = Array.from({ length: 250 }, (_, index) => ({ ...sample, ...old, _id: `old-${index}` }));
    await purchases.insertMany(many);
    const before = await booked();
    await shop().maintain();
    await shop().maintain();
    expect((await booked()) - before).to.equal(250);
    expect(await purchases.countDocuments({ _id: { $regex: '^old-' } })).to.equal(0);
    await connection()
      .db!.collection('payments')
      .deleteMany({ '_id.id': { $regex: '^old-' } });
  });

  it('keep answers of any size, in pieces', async () => {
    const parts = Array.from({ length: 90_000 }, (_, index) => `${index},${Math.sin(index)},${Math.cos(index)}\n`);
    const id = await shop().answers.store({ key: 'large', mediaType: 'text/csv', headers: { 'X-Own': 'a' }, parts });
    const answer = await shop().answers.open(id);
    expect(answer).to.include({ mediaType: 'text/csv' });
    expect(answer?.headers).to.deep.equal({ 'X-Own': 'a' });
    const pieces: Buffer[] = [];
    for await (const piece of answer!.body()) pieces.push(piece);
    expect(pieces.length).to.be.above(1);
    const { gunzipSync } = await import('node:zlib');
    expect(gunzipSync(Buffer.concat(pieces)).toString('utf8')).to.equal(parts.join(''));
    expect(await shop().answers.open('nothing')).to.equal(null);
  });
});

function claimTextOf({ resource, payment: { authorization }, terms }: PurchaseOrder): string {
  const { from, nonce } = authorization;
  const id = `${terms.network}/${terms.asset}/${from}/${nonce}`.toLowerCase();
  return `Upsilon: I claim the answer to ${resource}, paid for by ${id}`;
}
