import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { findOwnCodename } from '../auth/identity.ts';
import { openSessions } from '../auth/sessions.ts';
import { CliError, reasonOf } from '../cli-error.ts';
import type { Command, CommandContext } from '../command-context.ts';
import type { Environment } from '../environment.ts';
import { openLedger, readLedger } from '../ledger/ledger.ts';
import { signInHint } from '../net/problem.ts';
import { isAgreed } from '../output/is-agreed.ts';
import { holdText, momentText, type Screen } from '../output/screen.ts';
import { type ChangeReports, keepReports, notification, readReports, reportChange } from '../service/changes.ts';
import { type Argv, type Definition, defineService } from '../service/definitions.ts';
import { changeHooks, HOOK_PLATFORMS, type HookCommand, hookGroup, planHooks, shellLine } from '../service/hooks.ts';
import { planService, type ServicePlan, serviceId } from '../service/plan.ts';
import { requireRunnable, runProgram } from '../service/run-program.ts';
import { runQuietly } from '../service/run-quietly.ts';
import { readRunRecord } from '../service/run-record.ts';
import { submitCommand } from './submit.ts';
import { usageError } from './usage-view.ts';

/** The last argument of a run that a hook starts. */
const DETACH = '--detach';

export interface InstallOptions {
  readonly hook?: readonly string[] | undefined;
  /** Change the settings of other tools without asking. */
  readonly yes?: boolean | undefined;
  readonly notify?: boolean | undefined;
  /** The program that gets changes, with `words` as its arguments. */
  readonly onChange?: string | undefined;
  readonly words: readonly string[];
}

/** Installs the background service of a sign-in, and the hooks that are asked for. With `--dry-run`, shows what it would write. */
export const installServiceCommand: Command<InstallOptions> = async (context) => {
  const { settings, env, screen, options } = context;
  const { hook: platforms = [] } = options;
  const unknown = platforms.find((platform) => !HOOK_PLATFORMS.includes(platform));
  if (unknown !== undefined) {
    const message = `there are no hooks for "${unknown}": choose ${HOOK_PLATFORMS.join(' or ')}`;
    throw new CliError('usage', 'settings_invalid', message);
  }
  requireInstalled(env);
  const missing = await missingSignIn(context);
  if (settings.dryRun) {
    if (missing !== null) screen.warning(`Installing it takes a sign-in. ${signInHint(settings.baseUrl)}`);
  } else {
    if (missing !== null) throw missing;
    await openLedger(settings.configDir);
  }
  const plan = await openPlan(context);
  const definition = requireDefinition(plan, context);
  const hook = hookOf(plan, context);
  const hooks = platforms.length === 0 ? [] : await planHooks(hook, platforms, env);
  const files = definition.files.map(({ path }) => path);
  const reports = await planReports(context);
  const { notify, on_change } = reports;
  const paths = hooks.map(({ path }) => path);
  const result = { id: plan.id, files, hooks: paths, hook: hook.command, second: plan.second, notify, on_change };
  if (settings.dryRun) showFiles(definition, screen);
  for (const { path } of hooks) {
    screen.printWrapped(`To the SessionEnd hooks of ${path}, this is added:`);
    screen.print(JSON.stringify(hookGroup(hook.command), null, 2));
  }
  if (settings.dryRun) {
    screen.result({ ...result, installed: false });
    return 'ok';
  }
  if (hooks.length > 0 && options.yes !== true && !(await isAgreed('Change it?', screen))) {
    const hint = 'Nothing was installed. Add --yes to agree without being asked.';
    throw new CliError('usage', 'not_agreed', 'the hooks were not agreed to', hint);
  }
  await install(definition, plan);
  for (const change of hooks) await changeHooks(change);
  await keepReports(settings.configDir, reports);
  const minute = Math.floor(plan.second / 60);
  screen.printWrapped(
    `Installed: ${plan.id} submits every hour, ${minute} minutes after the full hour, and reports only problems.`,
  );
  screen.printWrapped('See how it does: upsilon service status. Remove it: upsilon service uninstall');
  screen.result({ ...result, installed: true });
  return 'ok';
};

export const uninstallServiceCommand: Command = async (context) => {
  const { env, screen } = context;
  const plan = await openPlan(context);
  const definition = requireDefinition(plan, context);
  const wasInstalled = await isInstalled(definition);
  if (wasInstalled) for (const argv of definition.uninstall) await execute(argv).catch(() => undefined);
  for (const { path } of definition.files) await rm(path, { force: true });
  // Settings that cannot be changed do not keep the service installed.
  const hooks = await planHooks(hookOf(plan, context), [], env);
  for (const change of hooks) await changeHooks(change);
  const { configDir, baseUrl } = context.settings;
  await keepReports(configDir, { base_url: baseUrl, notify: false, on_change: [], seen: null });
  const what = wasInstalled || hooks.length > 0 ? 'Removed' : 'Not installed';
  screen.printWrapped(`${what}: ${plan.id}.`);
  screen.result({ id: plan.id, removed: wasInstalled, hooks: hooks.map(({ path }) => path) });
  return 'ok';
};

/** Shows whether the background service is installed, and what became of its runs. */
export const serviceStatusCommand: Command = async (context) => {
  const { settings, screen } = context;
  const plan = await openPlan(context);
  const definition = requireDefinition(plan, context);
  const installed = await isInstalled(definition);
  const active = installed && (await execute(definition.isActive).then(Boolean, () => false));
  const record = await readRunRecord(settings.configDir, settings.baseUrl);
  const { succeeded_at, failures, failing_since, next_at, problem } = record;
  const inactive = installed ? 'installed, but not active' : 'not installed';
  screen.printWrapped(`${plan.id}, for ${settings.baseUrl}: ${active ? 'active' : inactive}.`);
  const reports = await readReports(settings.configDir, settings.baseUrl);
  const { notify = false, on_change = [] } = reports ?? {};
  const ways = [...(notify ? ['notifications'] : []), ...(on_change.length === 0 ? [] : [on_change.join(' ')])];
  if (ways.length > 0) screen.printWrapped(`Changes of rank and tier go to ${ways.join(' and ')}.`);
  if (reports?.problem !== undefined) screen.warning(reports.problem);
  if (succeeded_at > 0) screen.printWrapped(`Last success: ${momentText(succeeded_at)}.`);
  else screen.printWrapped(installed ? 'No run has succeeded yet.' : 'Install it: upsilon service install');
  if (problem !== null) {
    const times =
      failures === 1 ? 'The last run failed' : `The last ${failures} runs failed, since ${momentText(failing_since)}`;
    screen.printWrapped(`${times}: ${problem}`);
    screen.printWrapped(`Not tried again before ${momentText(next_at)}.`);
  }
  const { id, second } = plan;
  screen.result({ id, base_url: settings.baseUrl, installed, active, second, notify, on_change, record });
  return 'ok';
};

/** A run of the background service: submits, and prints nothing unless the user has to do something. */
export const runServiceCommand: Command<{ readonly detach?: boolean | undefined }> = async (context) => {
  if (context.options.detach === true) {
    // A tool that is closed waits for its hooks a moment at most.
    const { spawn } = await import('node:child_process');
    const args = process.argv.slice(1).filter((word) => word !== DETACH);
    spawn(process.execPath, args, { detached: true, stdio: 'ignore', windowsHide: true }).unref();
    return 'ok';
  }
  const { held, show } = holdText(context.screen);
  let isSubmitted = false;
  const exit = await runQuietly(context.settings, show, Date.now, async () => {
    const ended = await submitCommand({ ...context, screen: held });
    isSubmitted = ended === 'ok';
    return ended;
  });
  // The submission is recorded by now: nothing of this can be in its way.
  if (isSubmitted) await report(context);
  return exit;
};

async function report({ settings, env, screen }: CommandContext): Promise<void> {
  try {
    const codename = await findOwnCodename(settings, env);
    if (codename !== null) await reportChange(settings, codename, Date.now());
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    // What cannot be read now is reported by the next run.
    if (error.exit !== 'network') screen.warning(error.message);
  }
}

/** What of changes is to be reported. Throws a `usage` error for what cannot run in the background. */
async function planReports({ settings, env, options }: CommandContext<InstallOptions>): Promise<ChangeReports> {
  const { notify = false, onChange, words } = options;
  if (onChange === undefined && words.length > 0) throw usageError('only --on-change takes arguments, after --');
  const on_change = onChange === undefined ? [] : await requireRunnable([onChange, ...words], env.os);
  if (notify && !settings.dryRun) {
    const program = notification(env.os, 'Upsilon', 'Changes of your rank will be shown here.');
    const problem = await runProgram(program);
    if (problem !== null) throw usageError(`no notification can be shown here: ${program[0][0]}: ${problem}`);
  }
  return { base_url: settings.baseUrl, notify, on_change, seen: null };
}

/** Throws when the tool is run by npx, whose copy does not stay. */
function requireInstalled(env: Environment): void {
  if (env.command.startsWith('npx ')) {
    const source = env.command.split(' ').at(-1);
    // In quotes: the installed tool, not the copy that runs now.
    const hint = `Install it with:\n  npm install -g --allow-remote=root ${source}\nThen run "upsilon service install"`;
    const message = 'a service needs an installed tool, and this is a temporary copy of npx';
    throw new CliError('usage', 'not_installed', message, hint);
  }
}

/** A background run has no UPSILON_TOKEN: it needs a sign-in that was kept. Returns the error without one. */
async function missingSignIn({ settings, env }: CommandContext): Promise<CliError | null> {
  const { baseUrl, configDir } = settings;
  if ((await openSessions(configDir, env.keychain).find(baseUrl)) !== null) return null;
  const hint = `${signInHint(baseUrl)}\nA background run has no UPSILON_TOKEN: with an automation token there, upsilon login keeps it.`;
  return new CliError('auth', 'token_missing', `you are not signed in at ${baseUrl}`, hint);
}

async function openPlan({ settings, env }: CommandContext): Promise<ServicePlan> {
  const session = await openSessions(settings.configDir, env.keychain).find(settings.baseUrl);
  const ledger = await readLedger(settings.configDir);
  return planService(settings, env, serviceId(settings.service ?? session?.name), ledger?.stream ?? '');
}

function requireDefinition(plan: ServicePlan, { env }: CommandContext): Definition {
  const definition = defineService(plan, env);
  if (definition !== null) return definition;
  const message = `there is no background service for ${env.os}`;
  throw new CliError('usage', 'service_unavailable', message, cronHint(plan, env.os));
}

function hookOf({ command }: ServicePlan, { settings, env }: CommandContext): HookCommand {
  // The option that follows ends the address: another one may begin with it.
  const mark = shellLine(['service', 'run', '--base-url', settings.baseUrl, '--config-dir'], env.os);
  return { command: shellLine([...command, DETACH], env.os), mark };
}

function showFiles({ files }: Definition, screen: Screen): void {
  for (const { path, content } of files) {
    screen.print(screen.paint.bold(path));
    screen.print(typeof content === 'string' ? content : content.toString('utf16le'));
  }
}

/** Writes the files and has the system take them; when it does not, removes them again. */
async function install({ files, install: commands }: Definition, plan: ServicePlan): Promise<void> {
  try {
    for (const { path, content } of files) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content, { mode: 0o600 });
    }
    for (const argv of commands) await execute(argv);
  } catch (error) {
    for (const { path } of files) await rm(path, { force: true });
    const hint = cronHint(plan, process.platform);
    throw new CliError('files', 'service_unavailable', `the service could not be installed: ${reasonOf(error)}`, hint);
  }
}

function cronHint({ command, variables, second }: ServicePlan, os: NodeJS.Platform): string {
  const set = Array.from(variables, ([name, value]) => `${name}=${shellLine([value], os)} `).join('');
  const line = `${set}${shellLine(command, os)}`.replaceAll('%', '\\%');
  return `Without it, have cron do the same:\n  ${Math.floor(second / 60)} * * * * ${line}`;
}

async function isInstalled({ files }: Definition): Promise<boolean> {
  const found = await Promise.all(files.map(({ path }) => stat(path).catch(() => null)));
  return found.every((each) => each !== null);
}

/** Runs a command of the system. Throws with what it wrote to its standard error. */
async function execute([program = '', ...args]: Argv): Promise<true> {
  // Loaded on demand: it loads the network modules.
  const { execFile } = await import('node:child_process');
  try {
    await promisify(execFile)(program, args, { windowsHide: true });
    return true;
  } catch (error) {
    const text = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new Error(text === '' ? `${program}: ${reasonOf(error)}` : text, { cause: error });
  }
}
