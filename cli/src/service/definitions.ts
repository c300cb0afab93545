import type { Environment } from '../environment.ts';
import { pathsOf, xdgFolder } from '../sources/home-places.ts';
import type { ServicePlan } from './plan.ts';

/** A command and its arguments. */
export type Argv = readonly string[];

/** How a system runs a plan: the files that say so, and the commands that make it take them, give them up, and look for them. */
export interface Definition {
  readonly files: readonly { readonly path: string; readonly content: string | Buffer }[];
  readonly install: readonly Argv[];
  readonly uninstall: readonly Argv[];
  readonly isActive: Argv;
}

/** By the system's name in Node. */
const DEFINITIONS: Readonly<Record<string, (plan: ServicePlan, env: Environment) => Definition>> = {
  linux: systemdUnit,
  darwin: launchdJob,
  win32: scheduledTask,
};

/** The definition of a plan on the user's system; null when it is none of those that are known. */
export function defineService(plan: ServicePlan, env: Environment): Definition | null {
  return DEFINITIONS[env.os]?.(plan, env) ?? null;
}

/** A user unit and its timer (systemd.service, systemd.timer). */
function systemdUnit({ id, about, command, variables, second }: ServicePlan, env: Environment): Definition {
  const path = pathsOf(env);
  const folder = path.join(xdgFolder(env, 'XDG_CONFIG_HOME', '.config'), 'systemd', 'user');
  const at = [Math.floor(second / 60), second % 60].map((part) => String(part).padStart(2, '0')).join(':');
  const service = [
    '[Unit]',
    `Description=${about}`,
    '',
    '[Service]',
    'Type=oneshot',
    ...Array.from(variables, ([name, value]) => `Environment=${systemdWord(`${name}=${value}`)}`),
    // In a command, unlike in variables, a dollar sign is a reference.
    `ExecStart=${command.map((word) => systemdWord(word).replaceAll('$', '$$$$')).join(' ')}`,
    'Nice=10',
    'NoNewPrivileges=yes',
    'UMask=0077',
  ];
  const timer = [
    '[Unit]',
    `Description=${about}`,
    '',
    '[Timer]',
    `OnCalendar=*-*-* *:${at}`,
    'Persistent=yes',
    '',
    '[Install]',
    'WantedBy=timers.target',
  ];
  return {
    files: [
      { path: path.join(folder, `${id}.service`), content: `${service.join('\n')}\n` },
      { path: path.join(folder, `${id}.timer`), content: `${timer.join('\n')}\n` },
    ],
    install: [systemctl('daemon-reload'), systemctl('enable', '--now', `${id}.timer`)],
    uninstall: [systemctl('disable', '--now', `${id}.timer`)],
    isActive: systemctl('--quiet', 'is-active', `${id}.timer`),
  };
}

function systemctl(...args: readonly string[]): Argv {
  return ['systemctl', '--user', ...args];
}

/** A quoted word of a unit file, in which a percent sign would begin a specifier. */
function systemdWord(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`;
}

/** A launch agent (launchd.plist). It knows no seconds. */
function launchdJob({ id, command, variables, second, configDir }: ServicePlan, env: Environment): Definition {
  const path = pathsOf(env);
  const file = path.join(env.home, 'Library', 'LaunchAgents', `${id}.plist`);
  const entries = {
    Label: plistText(id),
    ProgramArguments: `<array>${command.map(plistText).join('')}</array>`,
    EnvironmentVariables: plistDict(Array.from(variables, ([name, value]) => [name, plistText(value)])),
    StartCalendarInterval: plistDict([['Minute', `<integer>${Math.floor(second / 60)}</integer>`]]),
    ProcessType: plistText('Background'),
    StandardErrorPath: plistText(path.join(configDir, `${id}.log`)),
  };
  const content = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
${plistDict(Object.entries(entries))}
</plist>
`;
  const domain = `gui/${process.getuid?.() ?? 0}`;
  return {
    files: [{ path: file, content }],
    install: [['launchctl', 'bootstrap', domain, file]],
    uninstall: [['launchctl', 'bootout', `${domain}/${id}`]],
    isActive: ['launchctl', 'print', `${domain}/${id}`],
  };
}

function plistText(text: string): string {
  return `<string>${xmlText(text)}</string>`;
}

function plistDict(entries: readonly (readonly [string, string])[]): string {
  return `<dict>\n${entries.map(([key, value]) => `<key>${xmlText(key)}</key>${value}\n`).join('')}</dict>`;
}

/** A task of the Task Scheduler (schema 1.2), which has the user's variables and no others. */
function scheduledTask({ id, about, command, second, configDir }: ServicePlan, env: Environment): Definition {
  const file = pathsOf(env).join(configDir, `${id}.xml`);
  const start = new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString().slice(0, 19);
  const words = command.map((word) => `"${word}"`).join(' ');
  const content = `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>${xmlText(about)}</Description>
  </RegistrationInfo>
  <Triggers>
    <CalendarTrigger>
      <Repetition>
        <Interval>PT1H</Interval>
        <Duration>P1D</Duration>
      </Repetition>
      <StartBoundary>${start}</StartBoundary>
      <ScheduleByDay>
        <DaysInterval>1</DaysInterval>
      </ScheduleByDay>
    </CalendarTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT1H</ExecutionTimeLimit>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>conhost.exe</Command>
      <Arguments>${xmlText(`--headless ${words}`)}</Arguments>
    </Exec>
  </Actions>
</Task>
`;
  return {
    // The Task Scheduler takes UTF-16 with a byte order mark.
    files: [{ path: file, content: Buffer.from(`\uFEFF${content.replaceAll('\n', '\r\n')}`, 'utf16le') }],
    install: [['schtasks', '/Create', '/F', '/TN', id, '/XML', file]],
    uninstall: [['schtasks', '/Delete', '/F', '/TN', id]],
    isActive: ['schtasks', '/Query', '/TN', id],
  };
}

function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
