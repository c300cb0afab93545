import { expect } from 'chai';
import * as fc from 'fast-check';
import { DAY_MS } from '../../../../config/units.ts';
import { entitlementOf, type Subscription } from '../../../../engine/billing/index.ts';

const START = Date.parse('2026-03-01T00:00:00.000Z');
const END = START + 30 * DAY_MS;

const ACTIVE: Subscription = {
  id: 'sub_1',
  status: 'active',
  plan: 'monthly',
  periodStart: START,
  periodEnd: END,
  endsAt: null,
  endedBy: null,
  collectionPaused: false,
  paid: true,
  moneyBack: null,
};

/** The state, and the first moment at which it does not let submit any more. */
const CASES: readonly (readonly [string, Partial<Subscription>, string, number | null])[] = [
  ['renews', {}, 'active', END + 14 * DAY_MS],
  ['is on trial', { status: 'trialing' }, 'active', END + 14 * DAY_MS],
  ['is cancelled at a moment', { endsAt: START + DAY_MS }, 'ending', START + DAY_MS],
  ['could not be renewed', { status: 'past_due', paid: false }, 'grace', START + 7 * DAY_MS],
  ['was cancelled', { status: 'canceled', endedBy: 'cancellation_requested' }, 'ending', END],
  [
    'was cancelled before it was paid',
    { status: 'canceled', endedBy: 'cancellation_requested', paid: false },
    'ended',
    null,
  ],
  ['ended for want of payment', { status: 'canceled', endedBy: 'payment_failed' }, 'ended', null],
  ['is given up', { status: 'unpaid' }, 'unpaid', null],
  ['is paused', { status: 'paused' }, 'paused', null],
  ['collects nothing, and is paid', { collectionPaused: true }, 'active', END + 14 * DAY_MS],
  ['collects nothing, and is not paid', { collectionPaused: true, paid: false }, 'paused', null],
  ['was never paid', { status: 'incomplete', paid: false }, 'incomplete', null],
  ['was never paid, for too long', { status: 'incomplete_expired', paid: false }, 'ended', null],
  ['was refunded', { moneyBack: 'refunded' }, 'refunded', null],
  ['lost a dispute', { moneyBack: 'dispute_lost' }, 'disputed', null],
  ['has a state of the future', { status: 'hibernating' }, 'ended', null],
];

describe('entitlement', () => {
  for (const [what, change, state, until] of CASES) {
    it(`when a subscription ${what}`, () => {
      const subscriptions = [{ ...ACTIVE, ...change }];
      expect(entitlementOf(subscriptions, START)).to.include({ state, eligible: until !== null });
      if (until === null) return;
      expect(entitlementOf(subscriptions, until - 1).eligible).to.equal(true);
      expect(entitlementOf(subscriptions, until).eligible).to.equal(false);
    });
  }

  it('is nothing without a subscription', () => {
    const nothing = { eligible: false, state: 'none', plan: null, renewsAt: null, endsAt: null };
    expect(entitlementOf([], START)).to.deep.equal(nothing);
  });

  const subscription = fc.constantFrom(...CASES.map(([, change]) => change)).chain((change) =>
    fc
      .record({
        plan: fc.constantFrom('monthly' as const, 'annual' as const),
        shift: fc.integer({ min: -60, max: 60 }),
      })
      .map(
        ({ plan, shift }): Subscription => ({
          ...ACTIVE,
          ...change,
          plan,
          periodStart: START + shift * DAY_MS,
          periodEnd: END + shift * DAY_MS,
        }),
      ),
  );

  it('is never less with one more subscription, in whatever order they are', () => {
    fc.assert(
      fc.property(fc.array(subscription, { maxLength: 4 }), subscription, (some, more) => {
        const before = entitlementOf(some, START);
        const after = entitlementOf([...some, more], START);
        expect(after.eligible || !before.eligible).to.equal(true);
        expect(entitlementOf([more, ...some], START).eligible).to.equal(after.eligible);
      }),
    );
  });

  it('does not come back by waiting', () => {
    const days = fc.nat({ max: 120 });
    fc.assert(
      fc.property(fc.array(subscription, { maxLength: 4 }), days, days, (some, one, more) => {
        const sooner = entitlementOf(some, START + one * DAY_MS);
        const later = entitlementOf(some, START + (one + more) * DAY_MS);
        expect(sooner.eligible || !later.eligible).to.equal(true);
      }),
    );
  });
});
