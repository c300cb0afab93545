import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import {
  findSubmission,
  ledgerPath,
  openLedger,
  readLedger,
  rememberSubmission,
  requireEpoch,
  type Submission,
  updateLedger,
} from '../../../cli/src/ledger/ledger.ts';
import { failureOf } from '../support/parsing.ts';
import { useFolder } from '../support/temporary-folder.ts';

const COUNTS = { input: 1, output: 20, cache_read: 3, cache_write: 4 };
const MADE: Submission = {
  base_url: 'http://a.example/api/v1',
  codename: 'test-lantern',
  platform: 'claude-code',
  epoch: 0,
  counts: COUNTS,
  backdated: '2026-05-31',
};

describe('the ledger', () => {
  const folder = useFolder();

  it('does not exist until it is opened', async () => {
    expect(await readLedger(folder())).to.equal(null);
    expect(await readdir(folder())).to.deep.equal([]);
  });

  it('keeps one random stream id of 128 bits, also when several runs create it concurrently', async () => {
    const opened = await Promise.all(Array.from({ length: 12 }, () => openLedger(folder())));
    expect(new Set(opened.map(({ stream }) => stream)).size).to.equal(1);
    expect(Buffer.from(opened[0]!.stream, 'base64url')).to.have.length(16);
    expect(await readdir(folder())).to.deep.equal(['ledger.json']);
  });

  it('of another epoch than before ends a submission: what was counted is of the former one', async () => {
    const before = await openLedger(folder());
    expect(() => requireEpoch(before, null)).not.to.throw();
    const after = await updateLedger(folder(), (known) => ({ ...known, epoch: 1 }));
    expect(() => requireEpoch(after, after)).not.to.throw();
    for (const read of [before, null]) expect(() => requireEpoch(after, read)).to.throw('began a new epoch');
  });

  it('is readable by its owner alone, also after it was rewritten', async () => {
    await rememberSubmission(folder(), MADE);
    expect((await stat(ledgerPath(folder()))).mode & 0o777).to.equal(0o600);
  });

  it('keeps what concurrent runs record', async () => {
    const platforms = Array.from({ length: 12 }, (_, index) => `platform-${index}`);
    await Promise.all(platforms.map((platform) => rememberSubmission(folder(), { ...MADE, platform })));
    const ledger = await readLedger(folder());
    expect(ledger!.submissions.map(({ platform }) => platform)).to.have.members(platforms);
  });

  it('distinguishes submissions by service, codename, platform and epoch', async () => {
    await rememberSubmission(folder(), MADE);
    const ledger = await rememberSubmission(folder(), { ...MADE, counts: { ...COUNTS, input: 9 } });
    expect(ledger.submissions).to.have.length(1);
    expect(findSubmission(ledger, MADE)?.counts?.input).to.equal(9);
    for (const other of [{ base_url: 'http://b.example' }, { codename: 'other-lantern' }, { platform: 'codex' }]) {
      expect(findSubmission(ledger, { ...MADE, ...other })).to.equal(null);
    }
    expect(findSubmission({ ...ledger, epoch: 1 }, MADE)).to.equal(null);
    expect(findSubmission(null, MADE)).to.equal(null);
  });

  it('keeps a submission of a former epoch until one of this epoch takes its place', async () => {
    await rememberSubmission(folder(), MADE);
    await updateLedger(folder(), (ledger) => ({ ...ledger, epoch: 1 }));
    const epochsAfter = async (made: Submission) =>
      (await rememberSubmission(folder(), made)).submissions.map(({ platform, epoch }) => `${platform} ${epoch}`);
    expect(await epochsAfter({ ...MADE, epoch: 1, platform: 'codex' })).to.deep.equal(['claude-code 0', 'codex 1']);
    expect(await epochsAfter({ ...MADE, epoch: 1 })).to.deep.equal(['codex 1', 'claude-code 1']);
  });

  for (const content of [
    '',
    '{}',
    '[]',
    '{"version":1,"stream":"a-stream-id","epoch":0,"submissions":[]}',
    '{"version":2,"stream":"","epoch":0,"submissions":[]}',
    '{"version":2,"stream":"not a stream","epoch":0,"submissions":[]}',
    '{"version":2,"stream":"a-stream-id","epoch":-1,"submissions":[]}',
    '{"version":2,"stream":"a-stream-id","epoch":1001,"submissions":[]}',
    '{"version":2,"stream":"a-stream-id","epoch":0,"submissions":[{"base_url":"x"}]}',
    `{"version":2,"stream":"a-stream-id","epoch":0,"submissions":[${JSON.stringify({ ...MADE, counts: { input: -1 } })}]}`,
    `{"version":2,"stream":"a-stream-id","epoch":0,"submissions":[${JSON.stringify({ ...MADE, backdated: 'today' })}]}`,
  ]) {
    it(`is refused, not replaced, when its file holds ${content === '' ? 'nothing' : content}`, async () => {
      await writeFile(ledgerPath(folder()), content);
      const failure = await failureOf(rememberSubmission(folder(), MADE));
      expect(failure).to.include({ exit: 'files', code: 'file_damaged' });
      expect(await readFile(ledgerPath(folder()), 'utf8')).to.equal(content);
    });
  }
});
