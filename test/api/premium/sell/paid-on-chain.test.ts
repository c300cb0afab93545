import { EventEmitter, once } from 'node:events';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { expect } from 'chai';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { MINUTE_MS } from '../../../../config/units.ts';
import { type Billing, createBilling, createPurchases, type Purchases } from '../../../../engine/billing/index.ts';
import { PremiumApiSummary } from '../../../../engine/contract/index.ts';
import { eventually } from '../../../support/eventually.ts';
import { leaveOut } from '../../../support/leave-out.ts';
import type { Answered, TestApi } from '../../../support/test-api.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { findAnvil } from '../../../support/x402/find-anvil.ts';
import type { LocalChain } from '../../../support/x402/local-chain.ts';
import type { LocalFacilitator } from '../../../support/x402/local-facilitator.ts';
import {
  claimTextOf,
  decoded,
  newNonce,
  presented,
  presentedAsVersion1,
  signPayment,
  type TestPayment,
} from '../../../support/x402/payments.ts';
import { transferOf } from '../../../support/x402/programs.ts';
import { USDC } from '../../../support/x402/usdc.ts';
import { openChainShop, openShop, type ShopOptions } from '../open-shop.ts';

const PRICE = 10_000n;

describe('premium: paid on a chain', () => {
  const found = findAnvil();
  if ('missing' in found) {
    leaveOut('anvil', found.missing);
    return;
  }
  const shop = useFixture(openChainShop);
  let chain: LocalChain;
  let facilitator: LocalFacilitator;
  let test: TestApi;

  before(() => ({ chain, facilitator, test } = shop()));

  beforeEach(() => {
    test.now = Date.now();
  });

  const earned = () => chain.balanceOf(chain.seller.address);
  const sign = (wishes: Partial<Parameters<typeof signPayment>[1]> = {}): Promise<TestPayment> =>
    signPayment(chain.payer, { to: chain.seller.address, ...wishes });
  const pay = async (payment: unknown, path = '/api', proof: Record<string, string> = {}): Promise<Answered> =>
    test.get(path, { ...presented(payment), ...proof });
  const claimOf = async (payment: TestPayment) => ({
    'answer-claim': await chain.payer.signMessage({ message: claimTextOf(payment, 'GET /api') }),
  });

  async function expectRefusal(payment: unknown, code: string, path = '/api'): Promise<Answered> {
    const before = await earned();
    const answered = await pay(payment, path);
    expect(answered.json).to.include({ code, status: 402, x402Version: 1 });
    expect(answered.status).to.equal(402);
    expect(await earned()).to.equal(before);
    return answered;
  }

  it('takes the payment of the official client, and the seller has it', async () => {
    const before = await earned();
    const client = new x402Client().register('eip155:*', new ExactEvmScheme(chain.payer));
    const response = await wrapFetchWithPayment(fetch, client)(`${test.origin}/api`);
    expect(response.status).to.equal(200);
    const summary = PremiumApiSummary.parse(await response.json());
    expect(summary.available_endpoints.map(({ path }) => path)).to.include.members([
      '/api',
      '/api/analytics/tiers',
      '/api/analytics/distribution',
      '/api/analytics/export',
      '/api/v1/snapshots',
    ]);
    expect(response.headers.get('cache-control')).to.equal('no-store');
    expect(decoded(response.headers.get('payment-response'))).to.deep.include({
      success: true,
      payer: chain.payer.address,
      network: 'eip155:84532',
    });
    expect((await earned()) - before).to.equal(PRICE);
  });

  it('takes payments of version 1, and answers in its words', async () => {
    const before = await earned();
    const { status, headers } = await test.get('/api', presentedAsVersion1(await sign()));
    expect(status).to.equal(200);
    expect(decoded(headers.get('x-payment-response'))).to.deep.include({ success: true, network: 'base-sepolia' });
    expect(headers.get('payment-response')).to.equal(null);
    expect((await earned()) - before).to.equal(PRICE);
  });

  it('puts every payment in the books, once', async () => {
    const payment = await sign();
    const { headers } = await pay(payment);
    const { transaction } = decoded(headers.get('payment-response'));
    const record = await booksOf(test).find('x402', 'x402', idOf(payment));
    expect(record).to.deep.include({ amount: 10_000, currency: 'usdc', asset: `eip155:84532/${USDC}`, subject: null });
    expect(record?.references).to.deep.include({ transaction, payer: chain.payer.address, resource: 'GET /api' });
  });

  it('takes twenty payers at once, each once', async () => {
    const before = await earned();
    const payers = Array.from({ length: 20 }, () => privateKeyToAccount(generatePrivateKey()));
    for (const { address } of payers) await chain.mint(address, PRICE);
    const payments = await Promise.all(payers.map((payer) => signPayment(payer, { to: chain.seller.address })));
    const answers = await Promise.all(payments.map((payment) => pay(payment)));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 20 }, () => 200));
    expect((await earned()) - before).to.equal(20n * PRICE);
    for (const { address } of payers) expect(await chain.balanceOf(address)).to.equal(0n);
  });

  it('settles once when one payment comes twenty times at once, and answers each', async () => {
    const before = await earned();
    const settled = facilitator.calls.settle;
    const payment = await sign();
    const answers = await Promise.all(Array.from({ length: 20 }, () => pay(payment)));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 20 }, () => 200));
    expect(new Set(answers.map(({ text }) => text)).size).to.equal(1);
    expect(new Set(answers.map(({ headers }) => headers.get('payment-response'))).size).to.equal(1);
    expect(facilitator.calls.settle - settled).to.equal(1);
    expect((await earned()) - before).to.equal(PRICE);
  });

  describe('refuses', () => {
    it('a payment that was tampered with', async () => {
      const payment = await sign({ units: 1n });
      payment.accepted.amount = '10000';
      payment.payload.authorization.value = '10000';
      await expectRefusal(payment, 'payment_signature_invalid');
    });

    it('a payment signed by somebody else', async () => {
      const payment = await sign();
      payment.payload.authorization.from = privateKeyToAccount(generatePrivateKey()).address;
      await expectRefusal(payment, 'payment_signature_invalid');
    });

    it('a payer without money, and takes the same payment once there is some', async () => {
      const poor = privateKeyToAccount(generatePrivateKey());
      const payment = await signPayment(poor, { to: chain.seller.address });
      await expectRefusal(payment, 'payment_refused');
      await chain.mint(poor.address, PRICE);
      expect((await pay(payment)).status).to.equal(200);
    });

    it('a payment that its payer cancelled', async () => {
      const payment = await sign();
      await cancel(payment.payload.authorization.nonce);
      await expectRefusal(payment, 'payment_refused');
    });

    it('a payment that is cancelled between verifying and settling: no content', async () => {
      const payment = await sign();
      facilitator.mischief = {
        before: async (operation) => {
          if (operation === 'settle') await cancel(payment.payload.authorization.nonce);
          return false;
        },
      };
      const { headers, text } = await expectRefusal(payment, 'payment_reused');
      facilitator.mischief = {};
      expect(text).to.not.include('available_endpoints');
      expect(decoded(headers.get('payment-response'))).to.include({ success: false, transaction: '' });
      expect(decoded(headers.get('payment-required'))).to.include({ error: 'payment_reused' });
    });

    it('a payment whose money is gone when it is settled: no content', async () => {
      const payer = privateKeyToAccount(generatePrivateKey());
      await chain.mint(payer.address, PRICE);
      const payment = await signPayment(payer, { to: chain.seller.address });
      const other = await signPayment(payer, { to: chain.payer.address });
      facilitator.mischief = {
        before: async (operation) => {
          if (operation === 'settle') await spend(other);
          return false;
        },
      };
      const before = await earned();
      const { status, json, text } = await pay(payment);
      facilitator.mischief = {};
      expect(status, text).to.equal(402);
      expect(json?.['code']).to.equal('payment_funds_missing');
      expect(await earned()).to.equal(before);
    });
  });

  describe('of one payment, used again', () => {
    it('gives the stored answer for ten minutes, although the payment has expired, and then refuses', async () => {
      const payment = await sign();
      const first = await pay(payment);
      const calls = { ...facilitator.calls };
      const before = await earned();
      test.now += 9 * MINUTE_MS;
      const again = await pay(payment, '/api', receiptOf(first));
      expect(again.status).to.equal(200);
      expect(again.text).to.equal(first.text);
      expect(again.headers.get('payment-response')).to.equal(first.headers.get('payment-response'));
      test.now += 2 * MINUTE_MS;
      await expectRefusal(payment, 'payment_reused');
      expect(facilitator.calls).to.deep.equal(calls);
      expect(await earned()).to.equal(before);
    });

    it('refuses it for another route, another query and another method', async () => {
      const payment = await sign();
      expect((await pay(payment)).status).to.equal(200);
      await expectRefusal(payment, 'payment_reused', '/api/analytics/tiers');
      const head = await test.send('/api', { method: 'HEAD', headers: presented(payment) });
      expect(head.status).to.equal(402);
      const big = await sign({ units: 20_000n });
      const bought = await pay(big, '/api/analytics/distribution?window=7d');
      expect(bought.status).to.equal(200);
      await expectRefusal(big, 'payment_reused', '/api/analytics/distribution?window=30d');
      const again = await pay(big, '/api/analytics/distribution?window=7d', receiptOf(bought));
      expect(again.status).to.equal(200);
    });

    it('refuses another payment with the same nonce', async () => {
      const nonce = newNonce();
      expect((await pay(await sign({ nonce }))).status).to.equal(200);
      const seconds = Math.floor(Date.now() / 1_000);
      await expectRefusal(await sign({ nonce, validBefore: seconds + 200 }), 'payment_reused');
    });

    it('refuses it when it was forgotten, because the chain does not forget', async () => {
      const payment = await sign();
      expect((await pay(payment)).status).to.equal(200);
      test.now += 25 * 60 * MINUTE_MS;
      await purchasesOf(test).maintain();
      test.now = Date.now();
      const { json } = await pay(payment);
      expect(json?.['code']).to.equal('payment_refused');
    });
  });

  describe('when a settlement leaves it open', () => {
    it('says so, and gives the answer to the same payment later, paid once', async () => {
      const before = await earned();
      const payment = await sign();
      facilitator.mischief = {
        after: (operation, response) => {
          if (operation === 'settle') response.destroy();
          return operation === 'settle';
        },
      };
      // The chain has it by now, so even this first response may be the paid one.
      const first = await pay(payment);
      facilitator.mischief = {};
      expect([undefined, 'payment_unsettled']).to.include(first.json?.['code']);
      const again = await pay(payment, '/api', receiptOf(first));
      expect(again.status).to.equal(200);
      expect((await earned()) - before).to.equal(PRICE);
    });

    it('gives the answer to who paid through a process that died before it could write that down', async () => {
      const payment = await sign();
      const first = await pay(payment);
      expect(first.status).to.equal(200);
      const before = await earned();
      const { nonce } = payment.payload.authorization;
      const id = idOf(payment);
      const db = test.connection.db!;
      // As it leaves things that dies when the money has moved.
      await db.collection('payments').deleteMany({ '_id.id': id });
      const asLeft = {
        $set: { state: 'settling', doubt: true },
        $unset: { settled_at: 1, transaction: 1, recorded: 1 },
      };
      const { modifiedCount } = await db
        .collection('purchases')
        .updateMany({ 'transfer.authorization.nonce': nonce }, asLeft);
      expect(modifiedCount).to.equal(1);
      test.now += MINUTE_MS;
      const settled = facilitator.calls.settle;
      const again = await pay(payment, '/api', await claimOf(payment));
      expect(again.status).to.equal(200);
      expect(again.text).to.equal(first.text);
      expect(again.headers.get('payment-response')).to.equal(first.headers.get('payment-response'));
      expect(facilitator.calls.settle).to.equal(settled);
      expect(await earned()).to.equal(before);
      expect(await booksOf(test).find('x402', 'x402', id)).to.deep.include({ amount: 10_000 });
    });

    it('finds out by itself when the payer does not come back, and puts the money in the books', async () => {
      const payment = await sign();
      const id = idOf(payment);
      await using blind = await openShop({ payTo: chain.seller.address, facilitatorUrl: facilitator.url });
      facilitator.mischief = {
        after: (operation, response) => {
          if (operation === 'settle') response.destroy();
          return operation === 'settle';
        },
      };
      const { status, json } = await blind.get('/api', presented(payment));
      facilitator.mischief = {};
      expect(status).to.equal(500);
      expect(json).to.include({ code: 'payment_unsettled' });
      expect(await booksOf(blind).find('x402', 'x402', id)).to.equal(null);
      blind.now += 2 * MINUTE_MS;
      await purchasesOf(blind).maintain();
      expect(await booksOf(blind).find('x402', 'x402', id)).to.deep.include({ amount: 10_000 });
      const later = await blind.get('/api', { ...presented(payment), ...(await claimOf(payment)) });
      expect(later.status).to.equal(200);
    });
  });

  const openOwnShop = (timeouts: ShopOptions['timeouts']): Promise<TestApi> =>
    openShop({ payTo: chain.seller.address, facilitatorUrl: facilitator.url, rpcUrl: chain.rpcUrl, timeouts });

  it('serves other routes while the facilitator is slow, and asks it no more for a while after it failed', async () => {
    await using own = await openOwnShop({ verifyTimeoutMs: 30_000 });
    const gate = new EventEmitter();
    const opened = once(gate, 'open');
    const before = facilitator.calls.verify;
    facilitator.mischief = {
      before: async (_operation, response) => {
        await opened;
        response.destroy();
        return true;
      },
    };
    const payments = await Promise.all(Array.from({ length: 8 }, () => sign()));
    const paying = Promise.all(payments.map((payment) => own.get('/api', presented(payment))));
    await eventually('every payment at the facilitator', () => facilitator.calls.verify === before + payments.length);
    expect((await own.get('/api/v1/leaderboard')).status).to.equal(200);
    expect((await own.get('/api')).status).to.equal(402);
    gate.emit('open');
    for (const { json } of await paying) expect(json).to.include({ code: 'payments_unavailable', status: 500 });
    facilitator.mischief = {};
    const { json } = await own.get('/api', presented(payments[0]));
    expect(json).to.include({ code: 'payments_unavailable' });
    expect(facilitator.calls.verify).to.equal(before + payments.length);
  });

  it('does not wait for a facilitator that does not respond in time', async () => {
    await using own = await openOwnShop({ verifyTimeoutMs: 1 });
    facilitator.mischief = { before: () => true };
    const { json } = await own.get('/api', presented(await sign()));
    facilitator.mischief = {};
    expect(json).to.include({ code: 'payments_unavailable', status: 500 });
  });

  /** The same purchases as another process has them, which sees the chain. */
  function purchasesOf(api: TestApi): Purchases {
    const { connection } = api;
    return createPurchases({
      connection,
      clock: () => api.now,
      config: { facilitatorUrl: null, rpcUrl: chain.rpcUrl },
    });
  }

  /** Cancels an authorization on the chain, as its payer may. */
  async function cancel(nonce: string): Promise<void> {
    const types = {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    } as const;
    const domain = { name: 'USDC', version: '2', chainId: 84_532, verifyingContract: USDC };
    const message = { authorizer: chain.payer.address, nonce: hex(nonce) };
    const signature = await chain.payer.signTypedData({ domain, types, primaryType: 'CancelAuthorization', message });
    await chain.write(chain.wallet(chain.seller), 'cancelAuthorization', [chain.payer.address, nonce, signature]);
  }

  /** Spends a payment without the service. */
  async function spend(payment: TestPayment): Promise<void> {
    const wallet = chain.wallet(chain.seller);
    const hash = await wallet.sendTransaction({ to: USDC, data: transferOf(payment) });
    await wallet.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  }
});

function booksOf({ connection }: TestApi): Billing['payments'] {
  return createBilling({ connection }).payments;
}

function idOf({ payload: { authorization } }: TestPayment): string {
  return `eip155:84532/${USDC}/${authorization.from}/${authorization.nonce}`.toLowerCase();
}

function hex(text: string): Hex {
  return `0x${text.slice(2)}`;
}

function receiptOf({ headers }: Answered): Record<string, string> {
  return { 'answer-receipt': headers.get('answer-receipt') ?? '' };
}
