import { homedir } from 'node:os';

/** Everything the tool reads from its environment. */
export type Environment = Readonly<ReturnType<typeof readEnvironment>>;

/** Reads the process environment. No other module of the tool does. */
export function readEnvironment() {
  return {
    os: process.platform,
    home: homedir(),
    variable,
    /** False when UPSILON_KEYCHAIN is `off`: secrets are then stored in a file. */
    keychain: variable('UPSILON_KEYCHAIN') !== 'off',
    /** Whether a browser can open on this machine. */
    display: hasDisplay(),
    /** True when NO_COLOR is set to anything but the empty string (no-color.org). */
    noColor: variable('NO_COLOR') !== undefined,
  };
}

/** Over SSH the user's browser runs on another machine and cannot reach the loopback port. */
function hasDisplay(): boolean {
  if (variable('SSH_CONNECTION') !== undefined) return false;
  if (process.platform === 'win32' || process.platform === 'darwin') return true;
  return (variable('DISPLAY') ?? variable('WAYLAND_DISPLAY')) !== undefined;
}

/** The value of a variable. Unset and empty variables are both absent. */
function variable(name: string): string | undefined {
  return process.env[name] || undefined;
}
