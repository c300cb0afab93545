import { expect } from 'chai';
import { FIRST_METHODOLOGY } from '../../../../engine/ranking/methodologies/index.ts';
import { openAccountOwner } from '../../../support/account-owner.ts';
import { eventually } from '../../../support/eventually.ts';
import { openIdentityService } from '../../../support/identity-service.ts';

describe('the numbers of a case', () => {
  it('are shown to its operator and to moderators before the evidence is public', async () => {
    await using service = await openIdentityService({ worker: true, methodology: FIRST_METHODOLOGY });
    const moderator = await openAccountOwner(service, 'moderating');
    const owner = await openAccountOwner(service, 'owning');
    await service.accounts.setModerator(moderator.operator, true);
    await owner.submit({ input: 2_000, output: 2_000_000_000, cache_read: 400_000_000, cache_write: 0 });
    const { codename, operator } = owner;
    const rule = 'output-beyond-response';
    await service.accounts.cases.open([{ operator, rule, severity: 'hold', boardVersion: 1 }]);
    const excluded = 'You are not ranked, because the counts are not plausible.';
    await eventually('the exclusion', async () => (await owner.page()).text.includes(excluded));
    const shown = [await owner.page(), await moderator.page(`/moderation/case?id=${operator}%2F${rule}`)];
    for (const { text } of shown) {
      expect(text).to.include('5 times the bound</strong> of 200,000: 1,000,000 (output tokens for each input token)');
      expect(text).to.include('The evidence is public from').and.not.include(`/integrity/${rule}"`);
    }
    expect((await moderator.page('/moderation')).text).to.include(`${codename}: ${rule}`);
  });
});
