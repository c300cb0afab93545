import { expect } from 'chai';
import { isEnrolled, rememberEnrolment } from '../../../cli/src/ledger/enrolments.ts';
import { useFolder } from '../support/temporary-folder.ts';

const MADE = { base_url: 'https://upsilon.example/api/v1', codename: 'test-lantern', kid: 'a-key' };
const OTHERS = [{ base_url: 'https://other.example/api/v1' }, { codename: 'other-lantern' }, { kid: 'other-key' }];

describe('the enrolments of keys', () => {
  const folder = useFolder();

  it('are kept apart by service, codename and key', async () => {
    expect(await isEnrolled(folder(), MADE)).to.equal(false);
    await rememberEnrolment(folder(), MADE);
    expect(await isEnrolled(folder(), MADE)).to.equal(true);
    for (const other of OTHERS) expect(await isEnrolled(folder(), { ...MADE, ...other })).to.equal(false);
    for (const other of OTHERS) await rememberEnrolment(folder(), { ...MADE, ...other });
    for (const other of [{}, ...OTHERS]) expect(await isEnrolled(folder(), { ...MADE, ...other })).to.equal(true);
  });
});
