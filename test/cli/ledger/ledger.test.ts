import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { higherOf, ledgerPath, openLedger, readLedger, rememberTotals } from '../../../cli/src/ledger/ledger.ts';
import { failureOf } from '../support/parsing.ts';
import { useFolder } from '../support/temporary-folder.ts';

const SMALL = { input: 1, output: 20, cache_read: 3, cache_write: 4 };
const LARGE = { input: 10, output: 2, cache_read: 30, cache_write: 4 };
const BOTH = { input: 10, output: 20, cache_read: 30, cache_write: 4 };

describe('the ledger', () => {
  const folder = useFolder();

  it('does not exist until it is opened', async () => {
    expect(await readLedger(folder())).to.equal(null);
    expect(await readdir(folder())).to.deep.equal([]);
  });

  it('keeps one random stream id of 128 bits, also when several runs make it at once', async () => {
    const opened = await Promise.all(Array.from({ length: 12 }, () => openLedger(folder())));
    expect(new Set(opened.map(({ stream }) => stream)).size).to.equal(1);
    expect(Buffer.from(opened[0]!.stream, 'base64url')).to.have.length(16);
    expect(await readdir(folder())).to.deep.equal(['ledger.json']);
  });

  it('is readable by its owner alone, also after it was rewritten', async () => {
    await rememberTotals(folder(), 'claude-code', SMALL);
    expect((await stat(ledgerPath(folder()))).mode & 0o777).to.equal(0o600);
  });

  it('never lets a total shrink, field by field', async () => {
    const { stream } = await openLedger(folder());
    await rememberTotals(folder(), 'claude-code', SMALL);
    await rememberTotals(folder(), 'claude-code', LARGE);
    await rememberTotals(folder(), 'claude-code', SMALL);
    const ledger = await readLedger(folder());
    expect(ledger?.platforms.get('claude-code')).to.deep.equal(BOTH);
    expect(ledger?.stream).to.equal(stream);
  });

  it('keeps platforms apart, whatever their names', async () => {
    await rememberTotals(folder(), 'constructor', SMALL);
    await rememberTotals(folder(), 'claude-code', LARGE);
    const ledger = await readLedger(folder());
    expect(Object.fromEntries(ledger!.platforms)).to.deep.equal({ constructor: SMALL, 'claude-code': LARGE });
    expect(ledger!.platforms.get('tostring')).to.equal(undefined);
  });

  it('names the fields in which a scan shows less', () => {
    expect(higherOf(LARGE, SMALL)).to.deep.equal({ totals: BOTH, below: ['input', 'cache_read'] });
    expect(higherOf(SMALL, SMALL)).to.deep.equal({ totals: SMALL, below: [] });
    expect(higherOf(undefined, SMALL)).to.deep.equal({ totals: SMALL, below: [] });
  });

  for (const content of [
    '',
    '{}',
    '[]',
    '{"version":2,"stream":"a-stream-id","epoch":0,"platforms":{}}',
    '{"version":1,"stream":"","epoch":0,"platforms":{}}',
    '{"version":1,"stream":"not a stream","epoch":0,"platforms":{}}',
    '{"version":1,"stream":"a-stream-id","epoch":-1,"platforms":{}}',
    '{"version":1,"stream":"a-stream-id","epoch":0,"platforms":{"claude-code":{"input":1}}}',
    '{"version":1,"stream":"a-stream-id","epoch":0,"platforms":{"claude-code":{"input":-1,"output":1,"cache_read":1,"cache_write":1}}}',
  ]) {
    it(`is refused, not replaced, when its file holds ${content === '' ? 'nothing' : content}`, async () => {
      await writeFile(ledgerPath(folder()), content);
      const failure = await failureOf(rememberTotals(folder(), 'claude-code', SMALL));
      expect(failure).to.include({ exit: 'files', code: 'file_damaged' });
      expect(await readFile(ledgerPath(folder()), 'utf8')).to.equal(content);
    });
  }
});
