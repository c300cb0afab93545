import { readFileSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { expect } from 'chai';
import type { Environment } from '../../../../cli/src/environment.ts';
import { planService } from '../../../../cli/src/service/plan.ts';
import { readSettings } from '../../../../cli/src/settings.ts';
import { SOURCES, sourcesOf } from '../../../../cli/src/sources/registry.ts';
import { LINUX, withVariables } from '../../support/scan-source.ts';

const README = readFileSync(new URL('../../../../cli/README.md', import.meta.url), 'utf8');

const MAC: Environment = { ...LINUX, os: 'darwin', home: '/Users/nova' };
const WINDOWS: Environment = withVariables(
  { ...LINUX, os: 'win32', home: 'C:\\Users\\nova' },
  { APPDATA: 'C:\\Users\\nova\\AppData\\Roaming' },
);

/** Where each tool keeps its logs, under the home of its user on every system. */
const UNDER_HOME = {
  codex: ['.codex/sessions', '.codex/archived_sessions', '.openclaw/agents'],
  'gemini-cli': ['.gemini/tmp'],
  opencode: ['.local/share/opencode'],
  'copilot-cli': ['.copilot/session-state', '.copilot/history-session-state'],
  'qwen-code': ['.qwen/projects', '.qwen/tmp'],
  amp: ['.local/share/amp/threads'],
  droid: ['.factory/sessions'],
  kimi: ['.kimi/sessions', '.kimi-code/sessions'],
  pi: ['.pi/agent/sessions', '.omp/agent/sessions'],
  'kilo-cli': ['.local/share/kilo'],
  openclaw: ['.openclaw/agents', '.clawdbot/agents', '.moltbot/agents'],
  'grok-cli': ['.grok/sessions', '.grok/archived_sessions'],
} as const;

/** The table of cli/README.md: the platforms, the variable, who defines it, and the folders with logs in what it names. */
const VARIABLES = README.split('\n')
  .map((line) => /^\| (`.+`) +\| `([A-Z_]+)` +\| (the tool|other counters|OpenClaw) +\| (.+) \|$/.exec(line))
  .filter((row) => row !== null)
  .map(([, platforms, variable, definedBy, folders]) => ({
    platforms: wordsIn(platforms!),
    variable: variable!,
    definedBy: definedBy!,
    folders: wordsIn(folders!),
  }));

/** Variables of systems and specifications, which move the folders of many programs. */
const SYSTEM_VARIABLES = ['APPDATA', 'LOCALAPPDATA', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME'];

describe('where logs are looked for', () => {
  for (const env of [LINUX, MAC, WINDOWS]) {
    const path = env.os === 'win32' ? win32 : posix;

    for (const [platform, folders] of Object.entries(UNDER_HOME)) {
      it(`${env.os}: ${platform}`, () => {
        const places = folders.map((folder) => path.join(env.home, ...folder.split('/')));
        expect(placesOf(platform, env)).to.deep.equal(places);
      });
    }

    for (const { platforms, variable, folders } of VARIABLES) {
      it(`${env.os}: ${platforms.join(', ')}, moved by ${variable}`, () => {
        const folder = env.os === 'win32' ? 'D:\\elsewhere' : '/srv/elsewhere';
        const expected = folders.map((each) => path.join(folder, each));
        for (const platform of platforms) {
          const places = placesOf(platform, withVariables(env, { [variable]: folder }));
          expect(places).to.include.members(expected);
          expect(placesOf(platform, env)).not.to.include.members(places);
        }
      });
    }
  }

  it('reads no other variables', () => {
    const read = new Set<string>();
    const variable = (name: string): undefined => void read.add(name);
    for (const env of [LINUX, MAC, WINDOWS]) for (const source of SOURCES) source.places({ ...env, variable });
    expect([...read].sort()).to.deep.equal([...SYSTEM_VARIABLES, ...VARIABLES.map((row) => row.variable)].sort());
  });

  it('prefers those of the tools', () => {
    const all = withVariables(
      LINUX,
      Object.fromEntries(VARIABLES.map((row) => [row.variable, `/srv/${row.variable}`])),
    );
    for (const { platforms, variable, definedBy } of VARIABLES) {
      const isAlone = VARIABLES.every(
        (row) => row.variable === variable || row.platforms[0] !== platforms[0] || row.folders.length === 0,
      );
      const isUsed = placesOf(platforms[0]!, all).some((place) => place.startsWith(`/srv/${variable}`));
      if (definedBy === 'other counters') expect(isUsed, variable).to.equal(isAlone);
    }
  });

  it('are carried into the background service', () => {
    for (const { variable } of VARIABLES) {
      const env = withVariables(LINUX, { [variable]: '/srv/elsewhere' });
      expect(planService(readSettings({}, env), env, 'upsilon', 'a-stream').variables.get(variable)).to.equal(
        '/srv/elsewhere',
      );
    }
  });

  it('has as many places on each system', () => {
    for (const { platform } of SOURCES) {
      const [linux, mac, windows] = [LINUX, MAC, WINDOWS].map((env) => placesOf(platform, env).length);
      expect(mac, platform).to.equal(linux);
      // The desktop application of Microsoft's store has a folder of its own.
      expect(windows, platform).to.equal(platform === 'claude-code' ? linux! + 1 : linux);
    }
  });

  it('finds the databases of Hermes in the home of each system and of its profiles', () => {
    const local = withVariables(WINDOWS, { LOCALAPPDATA: 'C:\\Local' });
    for (const [env, home] of [
      [LINUX, '/home/nova/.hermes'],
      [withVariables(LINUX, { HERMES_HOME: '/srv/h' }), '/srv/h'],
      [WINDOWS, 'C:\\Users\\nova\\AppData\\Local\\hermes'],
      [local, 'C:\\Local\\hermes'],
      [withVariables(WINDOWS, { HERMES_HOME: 'D:\\h' }), 'D:\\h'],
    ] as const) {
      const path = env.os === 'win32' ? win32 : posix;
      expect(placesOf('hermes', env)).to.deep.equal([path.join(home, 'state.db'), path.join(home, 'profiles')]);
    }
  });

  it('finds the database of Goose in the data folder of each system', () => {
    for (const [env, folder] of [
      [LINUX, '/home/nova/.local/share/goose/sessions'],
      [MAC, '/Users/nova/.local/share/goose/sessions'],
      [WINDOWS, 'C:\\Users\\nova\\AppData\\Roaming\\Block\\goose\\data\\sessions'],
    ] as const)
      expect(placesOf('goose', env)).to.deep.equal([folder]);
  });

  it('finds the database of Devin in the data folder of each system', () => {
    for (const [env, folder] of [
      [LINUX, '/home/nova/.local/share/devin/cli'],
      [MAC, '/Users/nova/.local/share/devin/cli'],
      [WINDOWS, 'C:\\Users\\nova\\AppData\\Roaming\\devin\\cli'],
    ] as const)
      expect(placesOf('devin', env)).to.deep.equal([folder]);
  });

  it("finds the database of Zed in each system's folder of data", () => {
    for (const [env, folder] of [
      [LINUX, '/home/nova/.local/share/zed/threads'],
      [MAC, '/Users/nova/Library/Application Support/Zed/threads'],
      [WINDOWS, 'C:\\Users\\nova\\AppData\\Local\\Zed\\threads'],
    ] as const)
      expect(placesOf('zed', env)).to.deep.equal([folder]);
  });

  it('moves only the folder that a variable is for', () => {
    const moved = { CODEX_HOME: '/srv/x', KIMI_CODE_HOME: '/srv/x', PI_CODING_AGENT_SESSION_DIR: '/srv/x' };
    const places = {
      codex: ['/srv/x/sessions', '/srv/x/archived_sessions', '/home/nova/.openclaw/agents'],
      kimi: ['/home/nova/.kimi/sessions', '/srv/x/sessions'],
      pi: ['/srv/x', '/home/nova/.pi/agent/sessions', '/home/nova/.omp/agent/sessions'],
    };
    for (const [platform, expected] of Object.entries(places))
      expect(placesOf(platform, withVariables(LINUX, moved))).to.deep.equal(expected);
  });

  it("finds editors' extensions in each system's settings folder", () => {
    const tasks = ['Code', 'User', 'globalStorage', 'saoudrizwan.claude-dev', 'tasks'];
    const expected = [
      [LINUX, '/home/nova/.config'],
      [MAC, '/Users/nova/Library/Application Support'],
      [WINDOWS, 'C:\\Users\\nova\\AppData\\Roaming'],
    ] as const;
    for (const [env, settings] of expected) {
      const path = env.os === 'win32' ? win32 : posix;
      expect(placesOf('cline', env)).to.include(path.join(settings, ...tasks));
    }
  });

  it('knows logs by paths of Windows as well', () => {
    const logs = {
      codex: 'C:\\Users\\nova\\.codex\\sessions\\2026\\05\\01\\rollout-2026-05-01.jsonl',
      'claude-code': 'C:\\Users\\nova\\.claude\\projects\\p\\one.jsonl',
      'gemini-cli': 'C:\\Users\\nova\\.gemini\\tmp\\p\\chats\\session-1.json',
      opencode: 'C:\\Users\\nova\\.local\\share\\opencode\\opencode.db',
    };
    for (const [platform, log] of Object.entries(logs)) {
      const takers = sourcesOf(Object.keys(logs)).filter((source) => source.isLog(log));
      expect(takers.map((source) => source.platform)).to.deep.equal([platform]);
    }
  });
});

describe('where the tool keeps its own files', () => {
  for (const [env, folder] of [
    [LINUX, '/home/nova/.config/upsilon'],
    [withVariables(LINUX, { XDG_CONFIG_HOME: '/srv/settings' }), '/srv/settings/upsilon'],
    [withVariables(LINUX, { XDG_CONFIG_HOME: 'not/absolute' }), '/home/nova/.config/upsilon'],
    [MAC, '/Users/nova/.config/upsilon'],
    [WINDOWS, 'C:\\Users\\nova\\AppData\\Roaming\\upsilon'],
    [{ ...WINDOWS, variable: () => undefined }, 'C:\\Users\\nova\\AppData\\Roaming\\upsilon'],
  ] as const) {
    it(`${env.os}: ${folder}`, () => {
      expect(readSettings({}, env).configDir).to.equal(folder);
    });
  }
});

function placesOf(platform: string, env: Environment): readonly string[] {
  return sourcesOf([platform])[0]!.places(env);
}

/** The words between grave accents. */
function wordsIn(cell: string): readonly string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, word]) => word!);
}
