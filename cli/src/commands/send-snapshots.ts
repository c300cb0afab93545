import { codenameMissing, type Identity, openSignedInClient, requireTokens } from '../auth/identity.ts';
import type { ExitName } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { findSubmission, openLedger, rememberSubmission, requireEpoch } from '../ledger/ledger.ts';
import type { PlatformTotals } from '../ledger/platform-totals.ts';
import { fetchOwnStanding } from '../net/own-standing.ts';
import { type Outcome, submitSnapshot } from '../net/submit-snapshot.ts';
import { showOutcome } from '../output/outcome.ts';
import { standingText } from '../output/place-text.ts';
import { keyOfToken, openDeviceKey } from '../signing/device-key.ts';
import { submittedHistory } from '../views/submitted-history.ts';
import { deviceName, enrolDevice } from './enrol-device.ts';
import { renewEpoch } from './renew-epoch.ts';
import type { ScannedUsage } from './scan-usage.ts';
import { type Sender, type SentSnapshot, sendDayEnds, sign } from './send-day-ends.ts';
import { profileAddress, showHistory, showStanding } from './status.ts';

/** The outcome of one platform's snapshot, as `--json` prints it. */
interface SnapshotResult extends SentSnapshot {
  readonly platform: string;
  /** Number of past days whose totals were submitted before it. */
  readonly backdated: number;
}

/** A run with several snapshots exits with its worst outcome: the first of these that occurs. */
const EXIT_BY_OUTCOME: ReadonlyArray<readonly [Outcome['kind'], ExitName]> = [
  ['refused', 'refused'],
  ['pending', 'pending'],
];

/** What a run of the main command submits, and for whom. */
export interface Submittable {
  readonly platforms: readonly PlatformTotals[];
  readonly identity: Identity;
  readonly scanned: ScannedUsage;
}

/** Enrols the key if necessary. Then submits for each platform past days, if the service has none, and a current snapshot. */
export async function sendSnapshots(
  context: CommandContext,
  submittable: Submittable,
): Promise<{ readonly exit: ExitName; readonly results: readonly SnapshotResult[] }> {
  const { settings, screen } = context;
  screen.print('');
  const sender = await openSender(context, submittable);
  const { key } = sender;
  if (await enrol(sender, false)) screen.detail(`Enrolled this machine's key as "${deviceName(key.kid)}".`);
  const results: SnapshotResult[] = [];
  for (const each of submittable.platforms) {
    const result = await sendPlatform(sender, each);
    results.push(result);
    showOutcome(result.platform, result.outcome, screen);
  }
  screen.detail(`Stream: ${sender.ledger.stream}, epoch ${sender.ledger.epoch}. Key: ${key.kid}.`);
  screen.detail(`Settings folder: ${settings.configDir}`);
  const worst = EXIT_BY_OUTCOME.find(([kind]) => results.some(({ outcome }) => outcome.kind === kind));
  if (worst === undefined) {
    await showFirstHistory(sender, results);
    await showOwnStanding(sender, results);
  }
  return { exit: worst?.[1] ?? 'ok', results };
}

/** Shows the history where this run submitted some. */
async function showFirstHistory(sender: Sender, results: readonly SnapshotResult[]): Promise<void> {
  const { client, codename, configDir, scanned, screen } = sender;
  if (results.every(({ backdated }) => backdated === 0)) return;
  const ledger = await openLedger(configDir);
  const made = results.flatMap(({ platform }) => {
    return findSubmission(ledger, { base_url: client.baseUrl, codename, platform }) ?? [];
  });
  showHistory(submittedHistory(scanned.buckets, made, client.context.now()), screen);
}

/** Shows the standing, with what moved it since the former submission; after the first one also badge and card. */
async function showOwnStanding({ client, codename, ledger, screen }: Sender, results: readonly SnapshotResult[]) {
  if (screen.json) return;
  const outcomes = results.map(({ outcome }) => outcome);
  const last = outcomes.at(-1);
  if (last?.kind === 'accepted' && last.hidden)
    return screen.printWrapped(`${codename} is hidden: it is on no board. Show it again at your account page.`);
  const { baseUrl } = client;
  const former = ledger.submissions.filter((made) => made.base_url === baseUrl && made.codename === codename);
  const since = former.flatMap(({ at }) => at ?? []).toSorted((a, b) => b - a)[0] ?? null;
  const own = await fetchOwnStanding(baseUrl, codename, since).catch(() => null);
  if (outcomes.every((outcome) => outcome.kind === 'accepted' && !outcome.changed))
    screen.printWrapped('No new counts since your last submission.');
  const rank = last?.kind === 'accepted' ? last.rank : null;
  // The profile may lag behind the verdict, which includes the snapshot.
  if (own !== null) return showStanding({ ...own, rank: rank ?? own.rank }, since === null, screen);
  screen.printWrapped(`${codename} is ${screen.paint.bold(standingText({ rank }))}.`);
  screen.printWrapped(`Page: ${profileAddress(baseUrl, codename)}`);
}

async function openSender(context: CommandContext, { identity, scanned, platforms }: Submittable): Promise<Sender> {
  const { settings, env, screen } = context;
  const { codename } = identity;
  requireTokens(identity, settings);
  if (codename === null) throw codenameMissing();
  const { configDir, history } = settings;
  const client = await openSignedInClient(context, identity);
  const carried = keyOfToken(identity.automation);
  const device = carried === null ? await openDeviceKey(configDir, env.keychain) : null;
  const known = await openLedger(configDir);
  requireEpoch(known, scanned.ledger);
  const ledger = await renewEpoch({ client, codename, configDir }, known, platforms, scanned, screen);
  return {
    client,
    configDir,
    codename,
    key: carried ?? device!,
    device,
    ledger,
    scanned,
    screen,
    history,
  };
}

async function sendPlatform(sender: Sender, { scan, totals }: PlatformTotals): Promise<SnapshotResult> {
  const { client, codename, configDir, ledger, history } = sender;
  const { platform, counting } = scan;
  const key = { base_url: client.baseUrl, codename, platform };
  const before = findSubmission(ledger, key) ?? { ...key, epoch: ledger.epoch, counts: null, backdated: null };
  const backdated =
    history && before.counts === null ? await withKnownKey(sender, () => sendDayEnds(sender, before, counting)) : 0;
  // A refusal of past totals applies to the current ones too.
  if (typeof backdated !== 'number') return { platform, backdated: 0, ...backdated };
  const { jti, outcome } = await withKnownKey(sender, async () => {
    const signed = sign(sender, { platform, totals, counting });
    return { jti: signed.jti, outcome: await submitSnapshot(client, signed.body, signed.jti) };
  });
  if (outcome.kind !== 'refused') {
    const known = findSubmission(await openLedger(configDir), before) ?? before;
    await rememberSubmission(configDir, { ...known, counts: totals, at: client.context.now() });
  }
  if (outcome.kind !== 'accepted') return { platform, jti, backdated, outcome };
  // After past days were sent, the current totals may equal yesterday's, but the run as a whole changed the totals.
  return { platform, jti, backdated, outcome: { ...outcome, changed: outcome.changed || backdated > 0 } };
}

/** Runs an action. If it is refused because the service lost the key, enrols the key again and retries once. */
async function withKnownKey<T extends SentSnapshot | number>(sender: Sender, action: () => Promise<T>): Promise<T> {
  const first = await action();
  const isUnknown =
    typeof first !== 'number' && first.outcome.kind === 'refused' && first.outcome.reason === 'key_unknown';
  if (!isUnknown || sender.device === null) return first;
  sender.screen.note('The service no longer knows this key. Enrolling it again.');
  await enrol(sender, true);
  // The refused snapshot keeps its verdict: the retry needs a new id.
  return action();
}

/** True when this machine's key was enrolled now. The key of an automation token is enrolled with the token. */
async function enrol({ client, configDir, codename, device }: Sender, again: boolean): Promise<boolean> {
  return device !== null && enrolDevice(client, configDir, codename, device, again);
}
