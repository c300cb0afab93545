import { expect } from 'chai';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { MINUTE_MS } from '../../../../config/units.ts';
import { createBilling, createPurchases } from '../../../../engine/billing/index.ts';
import { leaveOut } from '../../../support/leave-out.ts';
import type { Answered, TestApi } from '../../../support/test-api.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { findAnvil } from '../../../support/x402/find-anvil.ts';
import type { LocalChain } from '../../../support/x402/local-chain.ts';
import type { LocalFacilitator } from '../../../support/x402/local-facilitator.ts';
import { presented, signPayment, type TestPayment } from '../../../support/x402/payments.ts';
import { batchProgram, NO_TO_ALL, transferOf, YES_TO_ALL } from '../../../support/x402/programs.ts';
import { USDC } from '../../../support/x402/usdc.ts';
import { openChainShop, openShop } from '../open-shop.ts';

const PRICE = 10_000n;

describe('premium: what the chain says of a payment', () => {
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

  const sign = (wishes: Partial<Parameters<typeof signPayment>[1]> = {}): Promise<TestPayment> =>
    signPayment(chain.payer, { to: chain.seller.address, ...wishes });
  const pay = async (payment: unknown, path = '/api', proof: Record<string, string> = {}): Promise<Answered> =>
    test.get(path, { ...presented(payment), ...proof });

  it('takes no payment whose nonce was spent on somebody else while the facilitator was silent', async () => {
    const payment = await sign();
    const { from, nonce } = payment.payload.authorization;
    const id = `eip155:84532/${USDC}/${from}/${nonce}`.toLowerCase();
    const toSelf = await sign({ to: chain.payer.address, nonce: hex(nonce) });
    facilitator.mischief = {
      before: async (operation, response) => {
        if (operation !== 'settle') return false;
        await spend(toSelf);
        return Boolean(response.destroy());
      },
    };
    const { text } = await pay(payment);
    facilitator.mischief = {};
    expect(text).to.include('spent').and.to.not.include('available_endpoints');
    expect(await createBilling({ connection: test.connection }).payments.find('x402', 'x402', id)).to.equal(null);
    const left = await test.connection.db!.collection('purchases').countDocuments({
      'transfer.authorization.nonce': nonce,
    });
    expect(left, 'purchases that can never be paid').to.equal(0);
  });

  it('is claimed by a contract that says on the chain that it signed the claim', async () => {
    const { address } = privateKeyToAccount(generatePrivateKey());
    await chain.setCode(address, YES_TO_ALL);
    await chain.mint(address, PRICE);
    const payment = await signPayment({ ...chain.payer, address }, { to: chain.seller.address });
    payment.payload.signature += '00';
    const first = await pay(payment);
    expect(first.status, first.text).to.equal(200);
    const claim = { 'answer-claim': `0x${'ab'.repeat(66)}` };
    const claimed = await pay(payment, '/api', claim);
    expect(claimed.text).to.equal(first.text);
    await chain.setCode(address, NO_TO_ALL);
    expect((await pay(payment, '/api', claim)).json).to.include({ code: 'payment_reused' });
  });

  it('keeps a payment that may yet be paid, and forgets it when its validity is over', async () => {
    await using blind = await openShop({ payTo: chain.seller.address, facilitatorUrl: facilitator.url });
    const payment = await sign();
    facilitator.mischief = { before: (operation, response) => operation === 'settle' && Boolean(response.destroy()) };
    expect((await blind.get('/api', presented(payment))).json).to.include({ code: 'payment_unsettled' });
    facilitator.mischief = {};
    const left = () => blind.connection.db!.collection('purchases').countDocuments();
    blind.now += MINUTE_MS;
    await purchasesOf(blind).maintain();
    expect(await left()).to.equal(1);
    blind.now = Number(payment.payload.authorization.validBefore) * 1_000 + 62_000;
    await purchasesOf(blind).maintain();
    expect(await left()).to.equal(0);
  });

  for (const what of ['another payer', 'another amount', 'another token'] as const) {
    it(`takes no transfer of ${what} in the same transaction for the payment`, async () => {
      const payment = await sign();
      const nonce = hex(payment.payload.authorization.nonce);
      const other = privateKeyToAccount(generatePrivateKey());
      await chain.mint(other.address, PRICE);
      const calls = [transferOf(await sign({ to: chain.payer.address, nonce }))];
      if (what === 'another payer') calls.push(transferOf(await signPayment(other, { to: chain.seller.address })));
      if (what === 'another amount') calls.push(transferOf(await sign({ units: 1n })));
      const log = { from: chain.payer.address, to: chain.seller.address, value: PRICE };
      const batch = privateKeyToAccount(generatePrivateKey()).address;
      await chain.setCode(batch, batchProgram(calls, what === 'another token' ? log : null));
      facilitator.mischief = {
        before: async (operation, response) => {
          if (operation !== 'settle') return false;
          const wallet = chain.wallet(chain.seller);
          const hash = await wallet.sendTransaction({ to: batch, gas: 500_000n });
          await wallet.waitForTransactionReceipt({ hash, pollingInterval: 20 });
          return Boolean(response.destroy());
        },
      };
      const { json } = await pay(payment);
      facilitator.mischief = {};
      expect(await chain.read('authorizationState', [chain.payer.address, nonce])).to.equal(true);
      expect(json).to.include({ code: 'payment_reused' });
    });
  }

  /** The same purchases as another process has them, which sees the chain. */
  const purchasesOf = (api: TestApi) =>
    createPurchases({
      connection: api.connection,
      clock: () => api.now,
      config: { facilitatorUrl: null, rpcUrl: chain.rpcUrl },
    });

  /** Calls the token with a payment, without the service. */
  async function spend(payment: TestPayment): Promise<void> {
    const wallet = chain.wallet(chain.seller);
    const hash = await wallet.sendTransaction({ to: USDC, data: transferOf(payment) });
    await wallet.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  }
});

function hex(text: string): Hex {
  return `0x${text.slice(2)}`;
}
