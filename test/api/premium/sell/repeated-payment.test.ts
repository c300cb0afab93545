import { expect } from 'chai';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { MINUTE_MS } from '../../../../config/units.ts';
import { eventually } from '../../../support/eventually.ts';
import type { Answered } from '../../../support/test-api.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { startFacilitator } from '../../../support/x402/local-facilitator.ts';
import { claimTextOf, presented, signPayment, type TestPayment } from '../../../support/x402/payments.ts';
import { scriptedFacilitator } from '../../../support/x402/scripted-facilitator.ts';
import { openShop } from '../open-shop.ts';

const PAYEE = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';

describe('premium: a payment that is public on the chain', () => {
  const payer = privateKeyToAccount(generatePrivateKey());
  const stranger = privateKeyToAccount(generatePrivateKey());
  const facilitator = useFixture(() => startFacilitator(scriptedFacilitator()));
  const test = useFixture(() => openShop({ payTo: PAYEE, facilitatorUrl: facilitator().url }));

  beforeEach(() => {
    test().now = Date.now();
    facilitator().mischief = {};
  });

  const pay = (payment: TestPayment, headers: Record<string, string> = {}, path = '/api'): Promise<Answered> =>
    test().get(path, { ...presented(payment), ...headers });
  async function buy(): Promise<{ payment: TestPayment; text: string; receipt: Record<string, string> }> {
    const payment = await signPayment(payer, { to: PAYEE });
    const { status, text, headers } = await pay(payment);
    expect(status, text).to.equal(200);
    return { payment, text, receipt: { 'answer-receipt': headers.get('answer-receipt') ?? '' } };
  }

  it('returns nothing to strangers without its receipt', async () => {
    const { payment } = await buy();
    const other = await buy();
    const calls = { ...facilitator().calls };
    expectRefused(await pay(payment));
    expectRefused(await pay(payment, { 'answer-receipt': '' }));
    expectRefused(await pay(payment, { 'answer-receipt': 'A'.repeat(43) }));
    expectRefused(await pay(payment, other.receipt));
    expect(facilitator().calls).to.deep.equal(calls);
  });

  it('returns the answer to its payer with the receipt, for ten minutes, for that request alone', async () => {
    const { payment, text, receipt } = await buy();
    test().now += 9 * MINUTE_MS;
    const again = await pay(payment, receipt);
    expect(again.status).to.equal(200);
    expect(again.text).to.equal(text);
    expect((await pay(payment, receipt, '/api/analytics/tiers')).json).to.include({ code: 'payment_reused' });
    test().now += 2 * MINUTE_MS;
    expect((await pay(payment, receipt)).json).to.include({ code: 'payment_reused' });
  });

  it('stores no receipt as it is', async () => {
    const { receipt } = await buy();
    const purchases = await test().connection.db!.collection('purchases').find().toArray();
    expect(purchases).to.not.have.length(0);
    expect(receipt['answer-receipt']).to.match(/^[\w-]{43}$/);
    expect(JSON.stringify(purchases)).to.not.include(receipt['answer-receipt']);
  });

  it('returns the answer of a lost response for a claim that the paying key signed', async () => {
    const { payment, text } = await buy();
    const calls = { ...facilitator().calls };
    const claimed = await pay(payment, await claim(payer, payment));
    expect(claimed.status).to.equal(200);
    expect(claimed.text).to.equal(text);
    const receipt = claimed.headers.get('answer-receipt') ?? '';
    expect((await pay(payment, { 'answer-receipt': receipt })).text).to.equal(text);
    expect(facilitator().calls).to.deep.equal(calls);
  });

  it('names the text that is to be signed', async () => {
    const { payment } = await buy();
    const { json } = await pay(payment);
    expect(json?.['detail']).to.include(claimTextOf(payment, 'GET /api'));
  });

  it('is not claimed by another key, by another text, or by the signature of the payment', async () => {
    const { payment } = await buy();
    const other = await buy();
    expectRefused(await pay(payment, await claim(stranger, payment)));
    expectRefused(await pay(payment, await claim(payer, payment, 'GET /api/analytics/tiers')));
    expectRefused(await pay(payment, await claim(payer, other.payment)));
    expectRefused(await pay(payment, { 'answer-claim': payment.payload.signature }));
    expectRefused(await pay(payment, { 'answer-claim': `0x${'00'.repeat(65)}` }));
    expectRefused(await pay(payment, { 'answer-claim': `0x${'ab'.repeat(100)}` }));
    const { status, json } = await pay(payment, { 'answer-claim': '0x12' });
    expect(status).to.equal(400);
    expect(json).to.include({ code: 'payment_malformed' });
  });

  it('gives strangers nothing while it is settled, and its payer everything', async () => {
    const payment = await signPayment(payer, { to: PAYEE });
    const asked: Answered[] = [];
    facilitator().mischief = {
      // It is on the chain from about here on.
      after: async (operation) => {
        if (operation === 'settle') asked.push(await pay(payment), await pay(payment, await claim(stranger, payment)));
        return false;
      },
    };
    const [first, second] = await Promise.all([pay(payment), pay(payment)]);
    expect([first.status, second.status]).to.deep.equal([200, 200]);
    expect(asked).to.have.length(2);
    for (const one of asked) expectRefused(one);
  });

  it('that is in doubt also gets a receipt, by which its payer learns the outcome', async () => {
    const payment = await signPayment(payer, { to: PAYEE });
    facilitator().mischief = {
      before: (operation, response) => operation === 'settle' && Boolean(response.destroy()),
    };
    const first = await pay(payment);
    facilitator().mischief = {};
    expect(first.json).to.include({ code: 'payment_unsettled' });
    const { settle } = facilitator().calls;
    expectRefused(await pay(payment));
    expect(facilitator().calls.settle).to.equal(settle);
    const again = await pay(payment, { 'answer-receipt': first.headers.get('answer-receipt') ?? '' });
    expect(again.status, again.text).to.equal(200);
    expect(facilitator().calls.settle).to.equal(settle + 1);
  });
});

describe('premium: junk signatures', () => {
  const payer = privateKeyToAccount(generatePrivateKey());

  it('cause no call to the facilitator when they have the length of a signature by a key', async () => {
    await using facilitator = await startFacilitator(scriptedFacilitator());
    await using test = await openShop({ payTo: PAYEE, facilitatorUrl: facilitator.url });
    const payment = await signPayment(payer, { to: PAYEE });
    const other = await signPayment(payer, { to: PAYEE });
    const highest = `0x${'ff'.repeat(64)}1b`;
    for (const signature of [other.payload.signature, `0x${'00'.repeat(65)}`, highest]) {
      const { status, json } = await test.get(
        '/api',
        presented({ ...payment, payload: { ...payment.payload, signature } }),
      );
      expect(status).to.equal(402);
      expect(json).to.include({ code: 'payment_signature_invalid' });
    }
    const { authorization, signature } = payment.payload;
    const moved = {
      signature,
      authorization: { ...authorization, validBefore: String(Number(authorization.validBefore) + 1) },
    };
    expect((await test.get('/api', presented({ ...payment, payload: moved }))).json).to.include({
      code: 'payment_signature_invalid',
    });
    expect(facilitator.calls).to.deep.equal({ verify: 0, settle: 0 });
    const shouted = {
      signature,
      authorization: { ...authorization, from: authorization.from.toUpperCase().replace('0X', '0x') },
    };
    expect((await test.get('/api', presented({ ...payment, payload: shouted }))).status).to.equal(200);
  });

  it('of contracts go to the facilitator with a limit, and leave room for others', async () => {
    await using facilitator = await startFacilitator(scriptedFacilitator());
    await using test = await openShop({ payTo: PAYEE, facilitatorUrl: facilitator.url });
    const waiting: (() => void)[] = [];
    facilitator.mischief = { before: () => new Promise((resolve) => void waiting.push(() => resolve(false))) };
    const contracts = Array.from({ length: 24 }, async () => {
      const { payload, ...rest } = await signPayment(payer, { to: PAYEE });
      return test.get('/api', presented({ ...rest, payload: { ...payload, signature: `${payload.signature}00` } }));
    });
    const answers = Promise.all(contracts);
    await eventually('four are asked about', () => waiting.length === 4);
    facilitator.mischief = {};
    const honest = await test.get('/api', presented(await signPayment(payer, { to: PAYEE })));
    expect(honest.status, honest.text).to.equal(200);
    expect(facilitator.calls.verify).to.equal(5);
    for (const go of waiting) go();
    const codes = (await answers).map(({ json, status }) => json?.['code'] ?? status);
    expect(codes.filter((code) => code === 'payments_unavailable')).to.have.length(8);
    expect(codes.filter((code) => code === 200)).to.have.length(16);
  });
});

async function claim(account: PrivateKeyAccount, payment: TestPayment, request = 'GET /api') {
  return {
    'answer-claim': await account.signMessage({ message: claimTextOf(payment, request) }),
  };
}

function expectRefused({ status, json, text, headers }: Answered): void {
  expect(status, text).to.equal(402);
  expect(json).to.include({ code: 'payment_reused' });
  expect(json?.['detail']).to.include('Answer-Receipt').and.to.include('Answer-Claim');
  expect(headers.get('answer-receipt')).to.equal(null);
  expect(text).to.not.include('available_endpoints');
}
