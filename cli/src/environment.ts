import { homedir } from 'node:os';

/** Everything the tool takes from its surroundings. Unset and empty variables are both absent. */
export interface Environment {
  readonly os: NodeJS.Platform;
  readonly home: string;
  readonly baseUrl?: string | undefined;
  readonly token?: string | undefined;
  readonly codename?: string | undefined;
  readonly configDir?: string | undefined;
  readonly xdgConfigHome?: string | undefined;
  readonly appData?: string | undefined;
  readonly claudeConfigDir?: string | undefined;
  /** True when NO_COLOR is set to anything but the empty string (no-color.org). */
  readonly noColor: boolean;
}

/** Reads the process environment: the one place of the tool that does. */
export function readEnvironment(): Environment {
  return {
    os: process.platform,
    home: homedir(),
    baseUrl: variable('UPSILON_BASE_URL'),
    token: variable('UPSILON_TOKEN'),
    codename: variable('UPSILON_CODENAME'),
    configDir: variable('UPSILON_CONFIG_DIR'),
    xdgConfigHome: variable('XDG_CONFIG_HOME'),
    appData: variable('APPDATA'),
    claudeConfigDir: variable('CLAUDE_CONFIG_DIR'),
    noColor: variable('NO_COLOR') !== undefined,
  };
}

function variable(name: string): string | undefined {
  return process.env[name] || undefined;
}
