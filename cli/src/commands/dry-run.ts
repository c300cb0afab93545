import { isEnrolled } from '../ledger/enrolments.ts';
import { ledgerPath, readLedger } from '../ledger/ledger.ts';
import type { PlatformTotals } from '../ledger/platform-totals.ts';
import { enrolmentBody } from '../net/enrol-device.ts';
import { requestHeaders } from '../net/http.ts';
import type { Screen } from '../output/screen.ts';
import type { Settings } from '../settings.ts';
import { type DeviceKey, deviceKeyPath, readDeviceKey } from '../signing/device-key.ts';
import { layOutSnapshot, type SnapshotLayout, signSnapshot } from '../signing/sign-snapshot.ts';

/** A request as it would go out. */
interface PlannedRequest {
  readonly method: 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The signed parts in clear, of a snapshot. */
  readonly signed?: { readonly header: SnapshotLayout['header']; readonly payload: string };
}

/** What cannot be known before the first submission stands in angle brackets, which occur in no true value. */
const UNKNOWN = {
  codename: '<codename>',
  kid: '<id of the key>',
  stream: '<random id of the ledger>',
  signature: '<signature>',
  proof: '<signature>',
  publicKey: '<public key>',
} as const;

/** Shows every request that a submission would send now. Reads the key and the ledger if they exist; writes and sends nothing. */
export async function showDryRun(
  platforms: readonly PlatformTotals[],
  settings: Settings,
  screen: Screen,
): Promise<object> {
  const key = await readDeviceKey(settings.configDir);
  const ledger = await readLedger(settings.configDir);
  const codename = settings.codename ?? UNKNOWN.codename;
  const kid = key?.kid ?? UNKNOWN.kid;
  const enrolled = await isEnrolled(settings.configDir, { base_url: settings.baseUrl, codename, kid });
  const requests: PlannedRequest[] = enrolled ? [] : [planEnrolment(settings, codename, key)];
  for (const { scan, totals } of platforms) {
    const layout = layOutSnapshot({
      codename,
      platform: scan.platform,
      totals,
      kid,
      stream: ledger?.stream ?? UNKNOWN.stream,
      epoch: ledger?.epoch ?? 0,
      now: Date.now(),
    });
    const body = key === null ? layout.body(UNKNOWN.signature) : signSnapshot(layout, key.privateKey);
    requests.push({
      ...plan(`${settings.baseUrl}/snapshots`, body),
      signed: { header: layout.header, payload: layout.payload },
    });
  }
  const keyFile = { path: deviceKeyPath(settings.configDir), exists: key !== null, kid: key?.kid ?? null };
  const ledgerFile = { path: ledgerPath(settings.configDir), exists: ledger !== null };
  showRequests(requests, screen);
  showFiles(keyFile, ledgerFile, settings, screen);
  return { requests, key: keyFile, ledger: ledgerFile };
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

function showRequests(requests: readonly PlannedRequest[], screen: Screen): void {
  const { bold, dim } = screen.paint;
  screen.print(`\n${bold('Dry run: nothing is sent, nothing is written.')}`);
  screen.say(
    `A submission would send ${requests.length === 1 ? 'this request' : 'these requests'}. ` +
      'The body is shown byte for byte; the headers that every HTTP request has (host, length and the like) are left out.',
  );
  for (const { method, url, headers, body, signed } of requests) {
    screen.print(`\n${bold(`${method} ${url}`)}`);
    for (const [name, value] of Object.entries(headers)) screen.print(dim(`${name}: ${value}`));
    screen.print(`\n${body}`);
    if (signed === undefined) continue;
    screen.print(`\n${dim('Signed header:')}\n${JSON.stringify(signed.header)}`);
    screen.print(`${dim('Signed payload:')}\n${signed.payload}`);
  }
}

function showFiles(
  key: { readonly path: string; readonly exists: boolean },
  ledger: { readonly path: string; readonly exists: boolean },
  settings: Settings,
  screen: Screen,
): void {
  screen.print('');
  screen.say(`Key: ${key.path}${key.exists ? '' : ' (does not exist yet; the first submission makes it)'}`);
  screen.say(`Ledger: ${ledger.path}${ledger.exists ? '' : ' (does not exist yet; the first submission makes it)'}`);
  screen.say('The time (iat), the id (jti) and with them the signature are made anew for each submission.');
  if (settings.codename === null) screen.say('No codename is set: name yours with --codename or UPSILON_CODENAME.');
}
