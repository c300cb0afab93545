import { expect } from 'chai';
import { Stripe } from 'stripe';
import { outcomeOf } from '../../../../engine/billing/guard-calls.ts';
import { isMissing, isStripeFault } from '../../../../engine/billing/stripe/stripe-error.ts';

const { errors } = Stripe;
const SAID = { message: 'as Stripe says', type: 'api_error' } as const;

const CASES: readonly (readonly [string, Error, 'failed' | 'refused'])[] = [
  ['a broken connection', new errors.StripeConnectionError(SAID), 'failed'],
  ['a fault of Stripe', new errors.StripeAPIError(SAID), 'failed'],
  ['too many requests', new errors.StripeRateLimitError({ ...SAID, statusCode: 429 }), 'failed'],
  ['what is no error of Stripe', new TypeError('fetch failed'), 'failed'],
  ['a wrong request', new errors.StripeInvalidRequestError({ ...SAID, statusCode: 400 }), 'refused'],
  ['a key that is not right', new errors.StripeAuthenticationError({ ...SAID, statusCode: 401 }), 'refused'],
];

describe('an error of Stripe', () => {
  for (const [what, error, outcome] of CASES) {
    it(`counts as ${outcome} for ${what}`, () => expect(outcomeOf(error, isStripeFault)).to.equal(outcome));
  }

  it('says that an object is missing by its code, not by its status', () => {
    const gone = { ...SAID, statusCode: 404 };
    expect(isMissing(new errors.StripeInvalidRequestError({ ...gone, code: 'resource_missing' }))).to.equal(true);
    expect(isMissing(new errors.StripeInvalidRequestError(gone))).to.equal(false);
    expect(isMissing(new Error('resource_missing'))).to.equal(false);
  });
});
