import { join } from 'node:path';
import { CODENAME_PATTERN } from '../../../engine/contract/signing/index.ts';
import { withLock } from '../files/lock.ts';
import { readPrivateList, writePrivateJson } from '../files/private-files.ts';
import { hasShape, objectOf } from '../json.ts';
import { fetchOwnStanding, type OwnStanding } from '../net/own-standing.ts';
import { printable } from '../net/problem.ts';
import { read } from '../net/public-board.ts';
import { changeText, standingText } from '../output/place-text.ts';
import { momentText } from '../output/screen.ts';
import type { Settings } from '../settings.ts';
import type { Argv } from './definitions.ts';
import { type Program, runProgram } from './run-program.ts';

/** Rows with the operator in the middle, among which it is seen who passed whom. */
const ROWS_AROUND = 100;

type Where = Pick<Settings, 'configDir' | 'baseUrl'>;

/** How a user learns of changes of rank and tier at a service. */
export interface ChangeReports {
  readonly base_url: string;
  readonly notify: boolean;
  /** A program with its arguments; empty: none. */
  readonly on_change: Argv;
  /** The standing that was read last; null before the first run. */
  readonly seen: Seen | null;
  /** As a sentence, why the last change did not reach a program, and when; absent where it did. */
  readonly problem?: string | undefined;
}

/** `at` in milliseconds since the epoch; `around`: the codenames around the operator's, with it, best first. */
type Seen = Pick<OwnStanding, 'codename' | 'rank' | 'percentile' | 'class_tier'> & {
  readonly at: number;
  readonly around: readonly string[];
};

/** What is reported of changes at a service; null where nothing is. */
export async function readReports(configDir: string, baseUrl: string): Promise<ChangeReports | null> {
  return (await readAll(configDir)).find(({ base_url }) => base_url === baseUrl) ?? null;
}

/** Replaces what is reported of changes at a service. */
export async function keepReports(configDir: string, reports: ChangeReports): Promise<void> {
  const all = await readAll(configDir);
  const others = all.filter(({ base_url }) => base_url !== reports.base_url);
  const isUsed = reports.notify || reports.on_change.length > 0;
  if (!isUsed && others.length === all.length) return;
  await writePrivateJson(pathIn(configDir), { version: 1, services: isUsed ? [...others, reports] : others });
}

/**
 * Reports a change of rank or tier since the former run, if that is wanted; the first run reports nothing. The standing is kept before a
 * program starts, so that each change is reported once at most. Throws a `CliError` where the service does not respond.
 */
export async function reportChange(settings: Where, codename: string, now: number, limitMs?: number): Promise<void> {
  const lock = join(settings.configDir, 'service-changes.lock');
  const programs = await withLock(lock, () => programsFor(settings, codename, now));
  if (programs.length === 0) return;
  const whys = await Promise.all(programs.map((program) => runProgram(program, limitMs)));
  const failed = whys.flatMap((why, index) => (why === null ? [] : `${programs[index]![0][0]}: ${why}`));
  const what = `your last change of rank was not reported: ${printable(failed.join('; '))} (${momentText(now)})`;
  const problem = failed.length === 0 ? undefined : what;
  const keepProblem = async (): Promise<void> => {
    const reports = await readReports(settings.configDir, settings.baseUrl);
    if (reports !== null) await keepReports(settings.configDir, { ...reports, problem });
  };
  const former = (await readReports(settings.configDir, settings.baseUrl))?.problem;
  if (problem !== former) await withLock(lock, keepProblem);
}

async function programsFor({ configDir, baseUrl }: Where, codename: string, now: number): Promise<readonly Program[]> {
  const reports = await readReports(configDir, baseUrl);
  if (reports === null) return [];
  const former = reports.seen?.codename === codename ? reports.seen : null;
  const own = await fetchOwnStanding(baseUrl, codename, former?.at ?? null);
  if (own === null) return [];
  const { rank, total: total_operators, percentile, class_tier, page, change } = own;
  const around = rank === null ? [] : await namesAround(baseUrl, codename);
  await keepReports(configDir, { ...reports, seen: { codename, at: now, rank, percentile, class_tier, around } });
  if (former === null || (former.rank === rank && former.class_tier === class_tier)) return [];
  const { around: formerly, ...seen } = former;
  const before = { ...seen, at: new Date(seen.at).toISOString() };
  const place = { codename, rank, total_operators, percentile, class_tier };
  const [above, below] = [around.slice(0, around.indexOf(codename)), formerly.slice(formerly.indexOf(codename) + 1)];
  const passed_by = above.filter((name) => below.includes(name));
  const report = { at: new Date(now).toISOString(), page, ...place, before, passed_by, change };
  const title = `${codename}: ${standingText({ ...place, percentile: null, total_operators: null })}`;
  const reason = change === null ? '' : `${changeText(change, rank)} `;
  const names = passed_by.length === 0 ? '' : ` Passed by ${passed_by.slice(0, 3).join(', ')}.`;
  const text = `${reason}Before: ${standingText({ rank: former.rank, class_tier: former.class_tier })}.${names}`;
  return [
    ...(reports.on_change.length === 0 ? [] : [[reports.on_change, `${JSON.stringify(report)}\n`] as const]),
    ...(reports.notify ? [notification(process.platform, title, text)] : []),
  ];
}

/** The codenames of the rows around the operator's, best first. None where they cannot be read. */
function namesAround(baseUrl: string, codename: string): Promise<readonly string[]> {
  return read(baseUrl, 'leaderboard', { around: codename, limit: ROWS_AROUND }, ({ entries }) => {
    if (!Array.isArray(entries)) return null;
    return entries.map((entry) => String(objectOf(entry)['codename'])).filter((name) => CODENAME_PATTERN.test(name));
  }).catch(() => []);
}

/** The script of a Windows toast: constant, it reads title and text from its standard input. */
const TOAST_SCRIPT = [
  '$null = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]',
  "$xml = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent('ToastText02')",
  "foreach ($node in $xml.GetElementsByTagName('text')) { $null = $node.AppendChild($xml.CreateTextNode([Console]::In.ReadLine())) }",
  "$by = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe'",
  '[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($by).Show([Windows.UI.Notifications.ToastNotification]::new($xml))',
].join('; ');

const MACOS_SCRIPT = `on run argv
display notification (item 2 of argv) with title (item 1 of argv)
end run`;

/** The program that shows a notification. The texts are its arguments or its input, never part of a script. */
export function notification(os: NodeJS.Platform, title: string, text: string): Program {
  const toast = ['powershell.exe', '-NoProfile', '-NonInteractive', '-Command', TOAST_SCRIPT];
  if (os === 'win32') return [toast, `${title}\n${text}\n`];
  if (os === 'darwin') return [['osascript', '-e', MACOS_SCRIPT, title, text], ''];
  return [['notify-send', '--app-name=Upsilon', '--', title, text], ''];
}

function pathIn(configDir: string): string {
  return join(configDir, 'service-changes.json');
}

function readAll(configDir: string): Promise<readonly ChangeReports[]> {
  return readPrivateList(pathIn(configDir), 'services', isReports);
}

function isReports(value: unknown): value is ChangeReports {
  const { on_change, seen, problem } = objectOf(value);
  if (problem !== undefined && typeof problem !== 'string') return false;
  const isRead = seen === null || (hasShape(seen, { codename: 'string', at: 'number' }) && 'around' in seen);
  return hasShape(value, { base_url: 'string', notify: 'boolean' }) && Array.isArray(on_change) && isRead;
}
