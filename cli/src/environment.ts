import { readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Everything the tool reads from its environment. */
export type Environment = Readonly<ReturnType<typeof readEnvironment>>;

/** Reads the process environment. No other module of the tool does. */
export function readEnvironment() {
  return {
    os: process.platform,
    home: homedir(),
    /** What the user types to run the tool: messages that name a command begin with it. */
    command: ownCommand(),
    variable,
    /** The base URL of the service that served this copy; null for a copy that none served. */
    site: ownSite(),
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

/** As the service's package says, beside the program. */
function ownSite(): string | null {
  try {
    const path = join(realpathSync(process.argv[1] ?? ''), '../site.json');
    const { base_url }: { base_url: string } = JSON.parse(readFileSync(path, 'utf8'));
    return base_url;
  } catch {
    return null;
  }
}

/** As the tool was run: by `npx` from an address or a registry, by the script of the repository, or as an installed program. */
function ownCommand(): string {
  const event = variable('npm_lifecycle_event');
  if (event === 'upsilon') return 'npm run -s upsilon --';
  if (event !== 'npx') return 'upsilon';
  try {
    // `npx` installs into a folder whose package.json says from where: …/node_modules/@scope/cli/dist/main.js is below it.
    const folder = join(realpathSync(process.argv[1] ?? ''), '../../../../..');
    const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    const [name = '', source = ''] = Object.entries(dependencies)[0] ?? [];
    if (/^https?:/.test(source)) return `npx --allow-remote=root ${source}`;
    return `npx ${source.startsWith('file:') ? resolve(folder, source.slice('file:'.length)) : name}`;
  } catch {
    return 'upsilon';
  }
}
