import { expect } from 'chai';
import { createAdapterFactory } from '../../../../api/auth/authorization-server/adapter.ts';
import { openAccounts } from '../../../engine/accounts/open-accounts.ts';
import { useFixture } from '../../../support/use-fixture.ts';

describe("the authorization server's storage", () => {
  const under = useFixture(openAccounts);

  it('ends a grant when three requests use its refresh token concurrently, in any order of store calls', async () => {
    const tokens = createAdapterFactory(under().accounts.oidc)('RefreshToken');
    const grants = createAdapterFactory(under().accounts.oidc)('Grant');
    if (tokens === undefined || grants === undefined) throw new Error('no storage for refresh tokens');
    await grants.upsert('grant-of-two', { accountId: 'two', clientId: 'app' }, 600);
    await tokens.upsert('stolen-token', { grantId: 'grant-of-two', accountId: 'two' }, 600);
    await tokens.upsert('next-token', { grantId: 'grant-of-two', accountId: 'two' }, 600);
    await tokens.consume('stolen-token');
    expect(await tokens.find('stolen-token')).to.not.have.property('consumed');
    await tokens.consume('stolen-token');
    expect(await tokens.find('stolen-token')).to.have.property('consumed');
    expect(await tokens.find('next-token')).to.include({ grantId: 'grant-of-two' });
    expect(await tokens.consume('stolen-token').catch(String)).to.include('invalid_grant');
    expect(await tokens.find('next-token')).to.equal(undefined);
    expect(await grants.find('grant-of-two')).to.equal(undefined);
  });
});
