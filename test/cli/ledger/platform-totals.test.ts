import { expect } from 'chai';
import type { Ledger } from '../../../cli/src/ledger/ledger.ts';
import { joinWithLedger } from '../../../cli/src/ledger/platform-totals.ts';
import type { SourceScan } from '../../../cli/src/scan/scan-sources.ts';
import { type Counts, MAX_COUNT } from '../../../engine/contract/signing/index.ts';

const DESTINATION = { baseUrl: 'https://upsilon.example/api/v1', codename: 'test-lantern' };
const COUNTS = { input: 10, output: 20, cache_read: 30, cache_write: 40 };
const LEDGER: Ledger = {
  stream: 'any-stream',
  epoch: 0,
  submissions: [
    {
      base_url: DESTINATION.baseUrl,
      codename: DESTINATION.codename,
      platform: 'codex',
      epoch: 0,
      counts: COUNTS,
      backdated: null,
    },
  ],
};

describe('totals beside what was submitted before', () => {
  it('are below it in the fields that are less, and not where they are equal or more', () => {
    expect(belowOf(COUNTS)).to.deep.equal([]);
    expect(belowOf({ input: 11, output: 19, cache_read: 30, cache_write: 0 })).to.deep.equal(['output', 'cache_write']);
  });

  it('are below nothing at another service, under another codename or without one', () => {
    for (const other of [
      { baseUrl: 'https://other.example/api/v1' },
      { codename: 'other-lantern' },
      { codename: null },
    ]) {
      expect(belowOf({ ...COUNTS, input: 0 }, other)).to.deep.equal([]);
    }
  });

  it('are refused when one is more than a snapshot can carry', () => {
    expect(belowOf({ ...COUNTS, output: MAX_COUNT })).to.deep.equal([]);
    expect(() => belowOf({ ...COUNTS, output: MAX_COUNT + 1 }))
      .to.throw()
      .that.includes({ exit: 'refused', code: 'count_too_large' })
      .and.has.property('message')
      .that.includes('/srv/logs/one.jsonl');
  });
});

function belowOf(totals: Counts, other: Partial<Parameters<typeof joinWithLedger>[2]> = {}): readonly string[] {
  const scan: SourceScan = {
    platform: 'codex',
    title: 'Codex CLI',
    counting: 'derived',
    totals,
    messages: 1,
    imported: 0,
    kept: 0,
    repeats: 0,
    placeholders: 0,
    largest: '/srv/logs/one.jsonl',
    places: [],
    files: 1,
    changed: 0,
    bytes: 1,
    skipped: {
      not_json: 0,
      truncated: 0,
      too_long: 0,
      invalid_counts: 0,
      no_identity: 0,
      synthetic: 0,
      unknown_type: 0,
    },
    unreadable: [],
  };
  return joinWithLedger([scan], LEDGER, { ...DESTINATION, ...other })[0]!.below;
}
