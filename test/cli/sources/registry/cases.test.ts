import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Environment } from '../../../../cli/src/environment.ts';
import { findLogs } from '../../../../cli/src/scan/find-logs.ts';
import { scanSources } from '../../../../cli/src/scan/scan-sources.ts';
import { readSettings } from '../../../../cli/src/settings.ts';
import type { Counts } from '../../../../engine/contract/signing/index.ts';
import { LINUX, withVariables } from '../../support/scan-source.ts';
import { emptyStore } from '../../support/stores.ts';

const CASES = fileURLToPath(new URL('../../../fixtures/cases/', import.meta.url));

/** Homes of users with logs that other counters were reported to count wrongly. */
interface Case {
  /** The reports. */
  readonly source: string;
  readonly title: string;
  readonly platform: string;
  readonly why: string;
  /** Variables, in which `$HOME` is the home. */
  readonly env?: Readonly<Record<string, string>>;
  readonly expected: Counts;
  /** Why a log is named and not read, and what is counted then. */
  readonly unread?: { readonly reason: string; readonly counted: Counts };
}

const READS_ZSTD = 'zstdDecompressSync' in process.getBuiltinModule('node:zlib');

describe('logs that other counters counted wrongly', () => {
  for (const name of readdirSync(CASES)) {
    const {
      title,
      platform,
      env: set = {},
      ...of
    }: Case = JSON.parse(readFileSync(`${CASES}${name}/expected.json`, 'utf8'));
    const unread = of.unread?.reason === 'COMPRESSED' && READS_ZSTD ? undefined : of.unread;

    it(`${name}: ${title}`, async () => {
      const home = `${CASES}${name}/home`;
      const variables = Object.entries(set).map(([variable, value]) => [variable, value.replaceAll('$HOME', home)]);
      const env: Environment = { ...withVariables(LINUX, Object.fromEntries(variables)), home };
      const found = await findLogs(readSettings({}, env), env);
      const context = { store: await emptyStore(), now: Date.now, isParallel: false };
      const { scans } = await scanSources(found, context, () => undefined);
      const counted = scans.filter(({ messages, unreadable }) => messages + unreadable.length > 0);
      expect(counted.map((scan) => [scan.platform, scan.totals])).to.deep.equal([
        [platform, unread?.counted ?? of.expected],
      ]);
      const reasons = counted.flatMap(({ unreadable }) => unreadable.map(({ reason }) => reason));
      expect(reasons).to.deep.equal(unread === undefined ? [] : [unread.reason]);
    });
  }
});
