import { PUBLIC_TOTALS } from '../../../engine/contract/unranked.ts';
import { findOwnCodename } from '../auth/identity.ts';
import { CliError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { dayEnds } from '../ledger/day-ends.ts';
import { isEnrolled } from '../ledger/enrolments.ts';
import { findSubmission, type Ledger, ledgerPath } from '../ledger/ledger.ts';
import type { PlatformTotals } from '../ledger/platform-totals.ts';
import { exchange, requestHeaders } from '../net/http.ts';
import { problemError } from '../net/problem.ts';
import { BOARD_TIMEOUT_MS } from '../net/public-board.ts';
import { plural, type Screen } from '../output/screen.ts';
import {
  type DeviceKey,
  deviceKeyPath,
  isUsable,
  keyOfToken,
  keyUnavailableError,
  readDeviceKey,
  type SigningKey,
} from '../signing/device-key.ts';
import { layOutSnapshot, type SnapshotLayout, signSnapshot } from '../signing/sign-snapshot.ts';
import { enrolmentBody } from './enrol-device.ts';
import { showExpectedStanding } from './expected-standing.ts';
import { planEpoch } from './renew-epoch.ts';
import type { ScannedUsage } from './scan-usage.ts';
import type { Submittable } from './send-snapshots.ts';

interface PlannedRequest extends ReturnType<typeof plan> {
  /** Of a snapshot: the signed parts in clear. */
  readonly signed?: Pick<SnapshotLayout, 'header' | 'payload'>;
}

interface Plan {
  readonly baseUrl: string;
  readonly codename: string;
  readonly key: SigningKey | null;
  /** Null before the first submission. */
  readonly ledger: Ledger | null;
  readonly history: boolean;
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

/** Shows what a submission would send now, with `--requests` byte for byte. Reads, also from the service; writes nothing and sends no counts. */
export async function showDryRun(context: CommandContext, submittable: Submittable): Promise<object> {
  const { settings, screen } = context;
  const { configDir, baseUrl, history } = settings;
  const { platforms, identity, scanned } = submittable;
  const totals = platforms.map((each) => each.totals);
  const own = await findOwnCodename(settings, context.env);
  const standing = await showExpectedStanding(totals, { baseUrl, codename: own }, screen);
  const carried = keyOfToken(identity.automation);
  const stored = carried === null ? await readDeviceKey(configDir) : null;
  const device = stored !== null && isUsable(stored) ? stored : null;
  if (stored !== null && device === null) {
    const { message, hint } = keyUnavailableError(stored);
    screen.warning(`${message}, so the key is left out below. ${hint}`);
  }
  const codename = identity.codename ?? UNKNOWN.codename;
  const key = carried ?? device;
  const kid = key?.kid ?? UNKNOWN.kid;
  const enrolled = carried !== null || (await isEnrolled(configDir, { base_url: baseUrl, codename, kid }));
  const enrolments: readonly PlannedRequest[] = enrolled ? [] : [planEnrolment(baseUrl, codename, device)];
  const { ledger, newEpoch } = await planLedger(context, submittable);
  const drafts = { baseUrl, codename, key, ledger, history };
  const planned = platforms.map((each) => planPlatform(each, scanned, drafts));
  const snapshots = (await Promise.all(planned)).flat();
  const past = snapshots.filter(({ signed }) => signed?.header.as_of !== undefined);
  const present = snapshots.filter((snapshot) => !past.includes(snapshot));
  const keyFile = { path: deviceKeyPath(configDir), exists: stored !== null, kid: key?.kid ?? stored?.kid ?? null };
  const ledgerFile = { path: ledgerPath(configDir), exists: scanned.ledger !== null };
  if (newEpoch !== null) screen.printWrapped(`\n${newEpoch.text}`);
  const requests = [...enrolments, ...snapshots];
  screen.print(`\n${screen.paint.bold('Dry run: no counts are sent, nothing is written.')}`);
  screen.printWrapped(
    `A submission would send ${plural(requests.length, 'request')}: ${enrolled ? '' : 'the public key of this machine, '}` +
      `the totals of ${plural(platforms.length, 'tool')}${past.length === 0 ? '' : `, and before them ${plural(past.length, 'total')} of past days (not with --no-history)`}.`,
  );
  if (settings.requests) {
    showRequests([...enrolments, ...present], past, screen);
    screen.print('');
    const place = carried === null ? keyFile.path : 'that of the automation token';
    screen.printWrapped(`Key: ${place}. Ledger: ${ledgerFile.path}. A first submission creates them.`);
    screen.printWrapped('The time (iat), the id (jti) and therefore the signature differ in each submission.');
  } else screen.printWrapped('To see them byte for byte: upsilon --dry-run --requests');
  screen.printWrapped(PUBLIC_TOTALS);
  if (identity.codename === null)
    screen.printWrapped('No codename is set: sign in with upsilon login, or set it with --codename.');
  return { standing, requests, new_epoch: newEpoch, key: keyFile, ledger: ledgerFile };
}

/** The ledger that a submission would continue, and the epoch that it would begin, with the reason; null without one. */
async function planLedger(
  { settings: { configDir, baseUrl } }: CommandContext,
  { platforms, identity: { codename, tokens, automation }, scanned }: Submittable,
) {
  const { ledger } = scanned;
  // The service shows no streams to an automation token, whose key signs.
  const canRead = tokens !== null && keyOfToken(automation) === null;
  if (ledger === null || codename === null || !canRead) return { ledger, newEpoch: null };
  /** Without retries, and with the token as it is: renewing it would write. */
  const get = async (path: string) => {
    const request = { method: 'GET', url: `${baseUrl}${path}` } as const;
    const token = await tokens.current();
    if (token === null) throw new CliError('network', 'token_expired', 'the sign-in has to be renewed');
    const response = await exchange({ ...request, token }, BOARD_TIMEOUT_MS);
    if (response.status >= 300) throw problemError(response, baseUrl);
    return response;
  };
  try {
    const planned = await planEpoch({ client: { baseUrl, get }, codename, configDir }, ledger, platforms, scanned);
    return planned === null
      ? { ledger, newEpoch: null }
      : { ledger: { ...ledger, epoch: planned.epoch }, newEpoch: planned };
  } catch (error) {
    if (!(error instanceof CliError) || error.exit === 'files') throw error;
    const text = `The totals of this machine at the service are not known (${error.message}), so a submission may begin a new epoch.`;
    return { ledger, newEpoch: { epoch: null, reason: 'unknown', text } };
  }
}

/** A platform's snapshots in the order of submission: past days first, if none were submitted yet. */
async function planPlatform(
  { scan: { platform, counting }, totals }: PlatformTotals,
  { buckets }: ScannedUsage,
  { baseUrl, codename, key, ledger, history }: Plan,
): Promise<readonly PlannedRequest[]> {
  const now = Date.now();
  const before = findSubmission(ledger, { base_url: baseUrl, codename, platform });
  const isNew = history && (before?.counts ?? null) === null;
  const done = before?.backdated ?? '';
  const pastDays = isNew ? dayEnds(buckets, platform, now).filter(({ day }) => day > done) : [];
  const signer = { codename, platform, counting, kid: key?.kid ?? UNKNOWN.kid, now };
  const stream = { stream: ledger?.stream ?? UNKNOWN.stream, epoch: ledger?.epoch ?? 0 };
  return [...pastDays, { totals }].map((draft) => {
    const layout = layOutSnapshot({ ...draft, ...signer, ...stream });
    const body = key === null ? layout.body(UNKNOWN.signature) : signSnapshot(layout, key.privateKey);
    return { ...plan(`${baseUrl}/snapshots`, body), signed: { header: layout.header, payload: layout.payload } };
  });
}

function planEnrolment(baseUrl: string, codename: string, key: DeviceKey | null): PlannedRequest {
  const unknownJwk = { kty: 'OKP', crv: 'Ed25519', x: UNKNOWN.publicKey };
  const unknown = { jwk: unknownJwk, name: `command line ${UNKNOWN.kid}`, proof: UNKNOWN.proof };
  const body = key === null ? JSON.stringify(unknown) : enrolmentBody(codename, key, Date.now());
  return plan(`${baseUrl}/devices`, body);
}

function plan(url: string, body: string) {
  const method = 'POST';
  return { method, url, headers: requestHeaders({ method, url, token: '<token>', body }), body } as const;
}

function showRequests(requests: readonly PlannedRequest[], past: readonly PlannedRequest[], screen: Screen): void {
  const { bold, dim } = screen.paint;
  screen.printWrapped('Headers that every HTTP request has (host, length and so on) are omitted.');
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
    `Before the first of these snapshots, because this ledger or its epoch is new to the service: ${plural(past.length, 'request')} of the same form, with the ` +
      'totals at the end of each of the last 90 days on which they grew (as_of in the signed header). The oldest:',
  );
  screen.print(`\n${first!.body}`);
  screen.print(`\n${dim('Signed header:')}\n${JSON.stringify(first!.signed!.header)}`);
  screen.printWrapped('--json shows them all, --no-history leaves them out.');
}
