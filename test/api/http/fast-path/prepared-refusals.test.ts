import { expect } from 'chai';
import { keepRefusals } from '../../../../api/http/fast-path/prepared-refusals.ts';
import { RateDecision } from '../../../../api/http/rate-limit/rate-limiter.ts';
import { RATE_POLICIES } from '../../../../api/http/rate-limit/rate-policy.ts';

const over = (policy: keyof typeof RATE_POLICIES) =>
  new RateDecision({ policy: RATE_POLICIES[policy], window: 0 }, 0, false, 59_000);

describe('api: kept refusals', () => {
  it('are made once for a subject and a policy', () => {
    const made: string[] = [];
    const refuse = keepRefusals((route: string) => {
      made.push(route);
      return { route, preferred: null, finish: () => ({ status: 429, headers: {}, body: null, code: null }) };
    });
    const { refusal } = refuse('one', over('public'));
    expect(refuse('one', over('public')).refusal).to.equal(refusal);
    expect(refuse('one', over('pages')).refusal).not.to.equal(refusal);
    expect(refuse('two', over('public')).refusal).not.to.equal(refusal);
    expect(made).to.deep.equal(['one', 'one', 'two']);
  });
});
