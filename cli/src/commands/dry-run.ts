import type { Identity } from '../auth/identity.ts';
import { dayEnds } from '../ledger/day-ends.ts';
import { isEnrolled } from '../ledger/enrolments.ts';
import { findSubmission, ledgerPath } from '../ledger/ledger.ts';
import type { PlatformTotals } from '../ledger/platform-totals.ts';
import { enrolmentBody } from '../net/enrol-device.ts';
import { requestHeaders } from '../net/http.ts';
import { plural } from '../output/numbers.ts';
import type { Screen } from '../output/screen.ts';
import type { Settings } from '../settings.ts';
import { type DeviceKey, deviceKeyPath, readDeviceKey } from '../signing/device-key.ts';
import { layOutSnapshot, type SnapshotDraft, type SnapshotLayout, signSnapshot } from '../signing/sign-snapshot.ts';
import type { ScannedUsage } from './scan-usage.ts';

interface PlannedRequest {
  readonly method: 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Of a snapshot: the signed parts in clear. */
  readonly signed?: { readonly header: SnapshotLayout['header']; readonly payload: string };
}

export interface DryRun {
  readonly platforms: readonly PlatformTotals[];
  readonly settings: Settings;
  readonly identity: Identity;
  readonly scanned: ScannedUsage;
}

/** Placeholders for values that are unknown before the first submission. No real value contains angle brackets. */
const UNKNOWN = {
  codename: '<codename>',
  kid: '<id of the key>',
  stream: '<random id of the ledger>',
  signature: '<signature>',
  proof: '<signature>',
  publicKey: '<public key>',
} as const;

/** Shows every request that a submission would send now. Reads the key and the ledger if they exist; writes and sends nothing. */
export async function showDryRun(run: DryRun, screen: Screen): Promise<object> {
  const { settings, identity, scanned } = run;
  const key = await readDeviceKey(settings.configDir);
  const codename = identity.codename ?? UNKNOWN.codename;
  const kid = key?.kid ?? UNKNOWN.kid;
  const enrolled = await isEnrolled(settings.configDir, { base_url: settings.baseUrl, codename, kid });
  const enrolments = enrolled ? [] : [planEnrolment(settings, codename, key)];
  const snapshots = (await Promise.all(run.platforms.map((each) => planPlatform(run, each, codename, key)))).flat();
  const past = snapshots.filter(({ signed }) => signed?.header.as_of !== undefined);
  const present = snapshots.filter((planned) => !past.includes(planned));
  const keyFile = { path: deviceKeyPath(settings.configDir), exists: key !== null, kid: key?.kid ?? null };
  const ledgerFile = { path: ledgerPath(settings.configDir), exists: scanned.ledger !== null };
  showRequests([...enrolments, ...present], past, screen);
  showFiles(keyFile, ledgerFile, screen);
  if (identity.codename === null)
    screen.printWrapped('No codename is set: sign in with upsilon login, or set it with --codename.');
  return { requests: [...enrolments, ...snapshots], key: keyFile, ledger: ledgerFile };
}

/** A platform's snapshots in the order of submission: past days first, if none were submitted yet. */
async function planPlatform(
  { settings, scanned }: DryRun,
  { scan, totals }: PlatformTotals,
  codename: string,
  key: DeviceKey | null,
): Promise<readonly PlannedRequest[]> {
  const { platform } = scan;
  const now = Date.now();
  const before = findSubmission(scanned.ledger, { base_url: settings.baseUrl, codename, platform });
  const isNew = before === null || before.counts === null;
  const done = before?.backdated ?? '';
  const pastDays = isNew ? dayEnds(await scanned.openUsages(), platform, now).filter(({ day }) => day > done) : [];
  const drafts: ReadonlyArray<Pick<SnapshotDraft, 'totals' | 'asOf'>> = [...pastDays, { totals }];
  return drafts.map((draft) => {
    const layout = layOutSnapshot({
      totals: draft.totals,
      asOf: draft.asOf,
      codename,
      platform,
      kid: key?.kid ?? UNKNOWN.kid,
      stream: scanned.ledger?.stream ?? UNKNOWN.stream,
      epoch: scanned.ledger?.epoch ?? 0,
      now,
    });
    const body = key === null ? layout.body(UNKNOWN.signature) : signSnapshot(layout, key.privateKey);
    const signed = { header: layout.header, payload: layout.payload };
    return { ...plan(`${settings.baseUrl}/snapshots`, body), signed };
  });
}

function planEnrolment(settings: Settings, codename: string, key: DeviceKey | null): PlannedRequest {
  const unknownJwk = { kty: 'OKP', crv: 'Ed25519', x: UNKNOWN.publicKey };
  const body =
    key === null
      ? JSON.stringify({ jwk: unknownJwk, name: `upsilon ${UNKNOWN.kid}`, proof: UNKNOWN.proof })
      : enrolmentBody(codename, key, Date.now());
  return plan(`${settings.baseUrl}/devices`, body);
}

function plan(url: string, body: string): PlannedRequest {
  return { method: 'POST', url, headers: requestHeaders({ method: 'POST', url, token: '<token>', body }), body };
}

function showRequests(requests: readonly PlannedRequest[], past: readonly PlannedRequest[], screen: Screen): void {
  const { bold, dim } = screen.paint;
  screen.print(`\n${bold('Dry run: nothing is sent, nothing is written.')}`);
  screen.printWrapped(
    `A submission would send ${requests.length === 1 ? 'this request' : 'these requests'}. ` +
      'The body is shown byte for byte; headers that every HTTP request has (host, length and so on) are omitted.',
  );
  for (const { method, url, headers, body, signed } of requests) {
    screen.print(`\n${bold(`${method} ${url}`)}`);
    for (const [name, value] of Object.entries(headers)) screen.print(dim(`${name}: ${value}`));
    screen.print(`\n${body}`);
    if (signed === undefined) continue;
    screen.print(`\n${dim('Signed header:')}\n${JSON.stringify(signed.header)}`);
    screen.print(`${dim('Signed payload:')}\n${signed.payload}`);
  }
  if (past.length === 0) return;
  screen.print('');
  const [first] = past;
  screen.printWrapped(
    `Before that, because this ledger is new to the service: ${plural(past.length, 'request')} of the same form, with the ` +
      'totals at the end of each of the last 90 days on which they grew (as_of in the signed header). The oldest:',
  );
  screen.print(`\n${first!.body}`);
  screen.print(`\n${dim('Signed header:')}\n${JSON.stringify(first!.signed!.header)}`);
  screen.printWrapped('--json shows them all.');
}

function showFiles(
  key: { readonly path: string; readonly exists: boolean },
  ledger: { readonly path: string; readonly exists: boolean },
  screen: Screen,
): void {
  screen.print('');
  screen.printWrapped(`Key: ${key.path}${key.exists ? '' : ' (does not exist yet; the first submission creates it)'}`);
  screen.printWrapped(
    `Ledger: ${ledger.path}${ledger.exists ? '' : ' (does not exist yet; the first submission creates it)'}`,
  );
  screen.printWrapped('The time (iat), the id (jti) and therefore the signature differ in each submission.');
}
