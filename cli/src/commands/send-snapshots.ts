import { type Identity, requireTokens } from '../auth/identity.ts';
import { CliError } from '../cli-error.ts';
import type { Environment } from '../environment.ts';
import type { ExitName } from '../exit-codes.ts';
import { findSubmission, openLedger, rememberSubmission, type Submission } from '../ledger/ledger.ts';
import type { PlatformTotals } from '../ledger/platform-totals.ts';
import { deviceName, enrolDevice } from '../net/enrol-device.ts';
import { openSettingsClient } from '../net/open-settings-client.ts';
import { TOKEN_HINT } from '../net/problem.ts';
import { type Outcome, submitSnapshot } from '../net/submit-snapshot.ts';
import { showOutcome } from '../output/outcome.ts';
import type { Screen } from '../output/screen.ts';
import type { Settings } from '../settings.ts';
import { openDeviceKey } from '../signing/device-key.ts';
import { profileAddress } from './profile-address.ts';
import type { ScannedUsage } from './scan-usage.ts';
import { sendDayEnds } from './send-day-ends.ts';
import { type Sender, sign } from './sender.ts';
import { fetchProfile, standingText } from './status.ts';

/** What became of one platform's snapshot, as `--json` prints it. */
interface SnapshotResult {
  readonly platform: string;
  readonly jti: string;
  /** Days of the past whose totals were submitted before it. */
  readonly backdated: number;
  readonly outcome: Outcome;
}

/** The exit of a run with several snapshots is that of its worst: the first of these that occurs. */
const EXIT_BY_OUTCOME: ReadonlyArray<readonly [Outcome['kind'], ExitName]> = [
  ['refused', 'refused'],
  ['pending', 'pending'],
];

/** What is to be sent, and for whom. */
export interface SendRequest {
  readonly platforms: readonly PlatformTotals[];
  readonly settings: Settings;
  readonly identity: Identity;
  readonly scanned: ScannedUsage;
  readonly env: Environment;
}

/**
 * Makes and enrols the key if need be. Then for each platform: the totals of days past, if the service has none of this
 * ledger yet, and a snapshot of now. Shows what became of it.
 */
export async function sendSnapshots(
  request: SendRequest,
  screen: Screen,
): Promise<{ readonly exit: ExitName; readonly results: readonly SnapshotResult[] }> {
  screen.print('');
  const sender = await openSender(request, screen);
  const { codename, key } = sender;
  if (await enrol(sender, false)) screen.say(`Enrolled this machine's key as "${deviceName(key.kid)}".`);
  const results: SnapshotResult[] = [];
  for (const each of request.platforms) {
    const result = await sendPlatform(sender, each);
    results.push(result);
    showOutcome(result.platform, result.outcome, screen);
  }
  const worst = EXIT_BY_OUTCOME.find(([kind]) => results.some(({ outcome }) => outcome.kind === kind));
  if (worst === undefined) await showStanding(request.settings.baseUrl, codename, results, screen);
  return { exit: worst?.[1] ?? 'ok', results };
}

/** Shows the rank with its movement, which the profile has, or else the rank that the last snapshot was answered with. */
async function showStanding(
  baseUrl: string,
  codename: string,
  results: readonly SnapshotResult[],
  screen: Screen,
): Promise<void> {
  const profile = screen.json ? null : await fetchProfile(baseUrl, codename).catch(() => null);
  const last = results.at(-1)?.outcome;
  const rank = last?.kind === 'accepted' ? last.rank : null;
  // The board may be a moment behind the answer, which knows of the snapshot.
  const standing = standingText({ ...profile, ...(rank === null ? {} : { rank }) });
  screen.say(`${codename} is ${screen.paint.bold(standing)}.`);
  if (standing === 'not ranked') screen.say('A rank needs input tokens, and enough tokens altogether.');
  screen.say(`Profile: ${profileAddress(baseUrl, codename)}`);
}

async function openSender({ settings, identity, scanned, env }: SendRequest, screen: Screen): Promise<Sender> {
  const { configDir, baseUrl } = settings;
  const { codename, tokens } = identity;
  if (tokens === null) {
    throw new CliError('auth', 'token_missing', 'submitting needs you to be signed in, and you are not', TOKEN_HINT);
  }
  if (codename === null) {
    const hint = 'Name your codename in UPSILON_CODENAME (or --codename), or sign in with: upsilon login';
    throw new CliError('usage', 'codename_missing', 'submitting needs your codename, and none is set', hint);
  }
  const client = openSettingsClient(baseUrl, requireTokens(identity), screen);
  const key = await openDeviceKey(configDir, env.keychain);
  return { client, configDir, codename, key, ledger: await openLedger(configDir), scanned, screen };
}

async function sendPlatform(sender: Sender, each: PlatformTotals): Promise<SnapshotResult> {
  const { client, codename, ledger } = sender;
  const { platform } = each.scan;
  const name = { base_url: client.baseUrl, codename, platform };
  const before = findSubmission(ledger, name) ?? { ...name, epoch: ledger.epoch, counts: null, backdated: null };
  const backdated = before.counts === null ? await withKnownKey(sender, () => sendDayEnds(sender, before)) : 0;
  // What is refused of the past is refused of the present as well.
  if (typeof backdated !== 'number') return { platform, backdated: 0, ...backdated };
  const { jti, outcome } = await withKnownKey(sender, () => submitNow(sender, each));
  if (outcome.kind !== 'refused') await noteSubmission(sender, before, each);
  // Where yesterday's totals went just before, those of now are no news to the service, but all of them are to the user.
  const changed = outcome.kind === 'accepted' && (outcome.changed || backdated > 0);
  return { platform, jti, backdated, outcome: outcome.kind === 'accepted' ? { ...outcome, changed } : outcome };
}

async function noteSubmission(sender: Sender, before: Submission, { totals }: PlatformTotals): Promise<void> {
  const known = findSubmission(await openLedger(sender.configDir), before) ?? before;
  await rememberSubmission(sender.configDir, { ...known, counts: totals });
}

async function submitNow(sender: Sender, { scan, totals }: PlatformTotals): Promise<SignedResult> {
  const { jti, body } = sign(sender, { platform: scan.platform, totals });
  return { jti, outcome: await submitSnapshot(sender.client, body, jti) };
}

interface SignedResult {
  readonly jti: string;
  readonly outcome: Outcome;
}

/** Does something that may be refused because the service lost the key; then enrols it again and does it once more. */
async function withKnownKey<T extends SignedResult | number>(sender: Sender, action: () => Promise<T>): Promise<T> {
  const first = await action();
  if (typeof first === 'number' || first.outcome.kind !== 'refused' || first.outcome.reason !== 'key_unknown')
    return first;
  sender.screen.note('The service no longer knows this key. Enrolling it again.');
  await enrol(sender, true);
  // The refused one keeps its verdict for good: a fresh id makes this a new snapshot.
  return action();
}

function enrol({ client, configDir, codename, key }: Sender, again: boolean): Promise<boolean> {
  return enrolDevice(client, configDir, codename, key, again);
}
