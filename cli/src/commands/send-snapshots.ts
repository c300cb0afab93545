import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '../cli-error.ts';
import type { ExitName } from '../exit-codes.ts';
import { type Ledger, openLedger, rememberTotals } from '../ledger/ledger.ts';
import type { PlatformTotals } from '../ledger/platform-totals.ts';
import { type Client, openClient } from '../net/client.ts';
import { deviceName, enrolDevice } from '../net/enrol-device.ts';
import { TOKEN_HINT } from '../net/problem.ts';
import { type Outcome, submitSnapshot } from '../net/submit-snapshot.ts';
import { showOutcome } from '../output/outcome.ts';
import type { Screen } from '../output/screen.ts';
import type { Settings } from '../settings.ts';
import { type DeviceKey, openDeviceKey } from '../signing/device-key.ts';
import { layOutSnapshot, signSnapshot } from '../signing/sign-snapshot.ts';

/** What became of one platform's snapshot, as `--json` prints it. */
interface SnapshotResult {
  readonly platform: string;
  readonly jti: string;
  readonly outcome: Outcome;
}

/** The exit of a run with several snapshots is that of its worst: the first of these that occurs. */
const EXIT_BY_OUTCOME: ReadonlyArray<readonly [Outcome['kind'], ExitName]> = [
  ['refused', 'refused'],
  ['pending', 'pending'],
];

/** Everything one submission needs. */
interface Sender {
  readonly client: Client;
  readonly configDir: string;
  readonly codename: string;
  readonly key: DeviceKey;
  readonly ledger: Ledger;
}

/** Makes and enrols the key if need be, then signs and submits a snapshot for each platform and shows what became of it. */
export async function sendSnapshots(
  platforms: readonly PlatformTotals[],
  settings: Settings,
  screen: Screen,
): Promise<{ readonly exit: ExitName; readonly results: readonly SnapshotResult[] }> {
  screen.print('');
  const { codename, token } = requireIdentity(settings);
  const sender: Sender = {
    client: openSettingsClient(settings, token, screen),
    configDir: settings.configDir,
    codename,
    key: await openDeviceKey(settings.configDir),
    ledger: await openLedger(settings.configDir),
  };
  if (sender.key.exposed) {
    screen.warning(`other users of this machine can read ${sender.key.path}. Run: chmod 600 ${sender.key.path}`);
  }
  if (await enrol(sender, false)) screen.say(`Enrolled this machine's key as "${deviceName(sender.key.kid)}".`);
  const results: SnapshotResult[] = [];
  for (const each of platforms) {
    const result = await sendOne(sender, each, screen);
    results.push(result);
    showOutcome(codename, result.platform, result.outcome, screen);
  }
  const worst = EXIT_BY_OUTCOME.find(([kind]) => results.some(({ outcome }) => outcome.kind === kind));
  return { exit: worst?.[1] ?? 'ok', results };
}

async function sendOne(sender: Sender, each: PlatformTotals, screen: Screen): Promise<SnapshotResult> {
  const { platform } = each.scan;
  // Remembered before it is sent: an answer that never arrives must not let the totals shrink later.
  await rememberTotals(sender.configDir, platform, each.totals);
  const first = await signAndSubmit(sender, each);
  if (first.outcome.kind !== 'refused' || first.outcome.reason !== 'key_unknown') return { platform, ...first };
  screen.note('The service no longer knows this key. Enrolling it again.');
  await enrol(sender, true);
  // The refused one keeps its verdict for good: a fresh id makes this a new snapshot.
  return { platform, ...(await signAndSubmit(sender, each)) };
}

async function signAndSubmit(
  { client, codename, key, ledger }: Sender,
  { scan, totals }: PlatformTotals,
): Promise<{ readonly jti: string; readonly outcome: Outcome }> {
  const layout = layOutSnapshot({
    codename,
    platform: scan.platform,
    totals,
    kid: key.kid,
    stream: ledger.stream,
    epoch: ledger.epoch,
    now: client.surroundings.now(),
  });
  const { jti } = layout.header;
  return { jti, outcome: await submitSnapshot(client, signSnapshot(layout, key.privateKey), jti) };
}

function enrol({ client, configDir, codename, key }: Sender, again: boolean): Promise<boolean> {
  return enrolDevice(client, configDir, codename, key, again);
}

function requireIdentity(settings: Settings): { readonly codename: string; readonly token: string } {
  const { codename, token } = settings;
  const codenameHint = 'Name your codename in UPSILON_CODENAME (or --codename).';
  if (token === null) {
    const hint = codename === null ? `${codenameHint}\n${TOKEN_HINT}` : TOKEN_HINT;
    throw new CliError('auth', 'token_missing', 'submitting needs an access token, and there is none', hint);
  }
  if (codename === null) {
    throw new CliError('usage', 'codename_missing', 'submitting needs your codename, and none is set', codenameHint);
  }
  return { codename, token };
}

function openSettingsClient(settings: Settings, token: string, screen: Screen): Client {
  const { protocol, hostname } = new URL(settings.baseUrl);
  if (protocol === 'http:' && !LOOPBACK_HOSTS.test(hostname)) {
    screen.warning(`${settings.baseUrl} is not encrypted: anyone on the way can read your access token.`);
  }
  return openClient(settings.baseUrl, token, {
    now: Date.now,
    sleep: (milliseconds) => sleep(milliseconds),
    random: Math.random,
    onWait: (reason, milliseconds) => {
      screen.note(`${reason}. Trying again in ${Math.max(1, Math.ceil(milliseconds / 1000))} s.`);
    },
  });
}

/** Hosts whose traffic does not leave the machine. */
const LOOPBACK_HOSTS = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
