import { expect } from 'chai';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { openPurchaseModels } from '../../../../engine/billing/mongo/models.ts';
import { createPurchaseStore } from '../../../../engine/billing/x402/purchase-store.ts';
import { useConnection } from '../../../support/engines.ts';
import { signPayment, termsOf } from '../../../support/x402/payments.ts';
import { USDC } from '../../../support/x402/usdc.ts';

const PAYEE = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const payer = privateKeyToAccount(generatePrivateKey());
const TERMS = termsOf(USDC, PAYEE);

/** Longer than any lease: holders of purchases have lost theirs. */
const LEASE_IS_OVER_MS = 61_000;

describe('stored purchases', () => {
  const connection = useConnection();

  it('are changed only by their holder, and keep their first transaction', async () => {
    const store = createPurchaseStore(openPurchaseModels(connection()));
    const now = Date.now();
    const id = 'a-held-purchase';
    const later = new Date(now + LEASE_IS_OVER_MS);
    const times = { until: later, created_at: new Date(now) };
    const { payload: transfer } = await signPayment(payer, { to: PAYEE });
    const sale = { resource: 'GET /thing', transfer, terms: TERMS };
    const own = { _id: id, digest: '', state: 'open', holder: 'one', ...sale, ...times } as const;
    const others = { ...own, holder: 'another' };
    expect(await store.begin(own)).to.equal(true);
    expect(await store.begin(others)).to.equal(false);
    await store.deleteOpen(others);
    expect(await store.beginSettling(others, 'an-answer', later)).to.equal(false);
    expect(await store.beginSettling(own, 'an-answer', later)).to.equal(true);
    await store.endLease(others, new Date(now), false);
    await store.deleteUnpaid(others);
    expect(await store.takeOver(id, 'another', new Date(now), later), 'before its lease is over').to.equal(null);
    await store.endLease(own, new Date(now), false);
    expect(await store.takeOver(id, 'another', new Date(now), later), 'as it was').to.include({ doubt: false });
    expect(await store.find(id), 'as it is').to.include({ state: 'settling', holder: 'another', doubt: true });
    await store.deleteUnpaid(own);
    for (const [seconds, transaction] of ['0x1', '0x2'].entries()) {
      await store.settle(id, transaction, new Date(now + seconds * 1_000));
    }
    expect(await store.find(id)).to.deep.include({ state: 'settled', transaction: '0x1', settled_at: new Date(now) });
  });
});
