import { homedir } from 'node:os';

/** Everything the tool reads from its environment. Unset and empty variables are both absent. */
export interface Environment {
  readonly os: NodeJS.Platform;
  readonly home: string;
  readonly baseUrl?: string | undefined;
  readonly token?: string | undefined;
  readonly codename?: string | undefined;
  readonly configDir?: string | undefined;
  readonly xdgConfigHome?: string | undefined;
  readonly appData?: string | undefined;
  readonly xdgDataHome?: string | undefined;
  readonly claudeConfigDir?: string | undefined;
  readonly codexHome?: string | undefined;
  readonly geminiHome?: string | undefined;
  readonly opencodeDataDir?: string | undefined;
  readonly opencodeDb?: string | undefined;
  readonly copilotHome?: string | undefined;
  readonly qwenDataDir?: string | undefined;
  readonly ampDataDir?: string | undefined;
  readonly droidSessionsDir?: string | undefined;
  readonly kimiCodeHome?: string | undefined;
  readonly piAgentDir?: string | undefined;
  /** False when UPSILON_KEYCHAIN is `off`: secrets are then stored in a file. */
  readonly keychain: boolean;
  /** Whether a browser can open on this machine. */
  readonly display: boolean;
  /** True when NO_COLOR is set to anything but the empty string (no-color.org). */
  readonly noColor: boolean;
}

/** Reads the process environment. No other module of the tool does. */
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
    xdgDataHome: variable('XDG_DATA_HOME'),
    claudeConfigDir: variable('CLAUDE_CONFIG_DIR'),
    codexHome: variable('CODEX_HOME'),
    geminiHome: variable('GEMINI_CLI_HOME'),
    opencodeDataDir: variable('OPENCODE_DATA_DIR'),
    opencodeDb: variable('OPENCODE_DB'),
    copilotHome: variable('COPILOT_HOME'),
    qwenDataDir: variable('QWEN_DATA_DIR'),
    ampDataDir: variable('AMP_DATA_DIR'),
    droidSessionsDir: variable('DROID_SESSIONS_DIR'),
    kimiCodeHome: variable('KIMI_CODE_HOME'),
    piAgentDir: variable('PI_AGENT_DIR'),
    keychain: variable('UPSILON_KEYCHAIN') !== 'off',
    display: hasDisplay(),
    noColor: variable('NO_COLOR') !== undefined,
  };
}

/** Over SSH the user's browser runs on another machine and cannot reach the loopback port. */
function hasDisplay(): boolean {
  if (variable('SSH_CONNECTION') !== undefined) return false;
  if (process.platform === 'win32' || process.platform === 'darwin') return true;
  return (variable('DISPLAY') ?? variable('WAYLAND_DISPLAY')) !== undefined;
}

function variable(name: string): string | undefined {
  return process.env[name] || undefined;
}
