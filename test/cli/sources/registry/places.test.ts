import { posix, win32 } from 'node:path';
import { expect } from 'chai';
import type { Environment } from '../../../../cli/src/environment.ts';
import { readSettings } from '../../../../cli/src/settings.ts';
import { sourcesOf } from '../../../../cli/src/sources/registry.ts';
import { LINUX, withVariables } from '../../support/scan-source.ts';

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
} as const;

/** Variables that move them: to a folder, and what is then looked at in it. */
const MOVED = [
  ['copilot-cli', 'COPILOT_HOME', ['session-state', 'history-session-state']],
  ['qwen-code', 'QWEN_DATA_DIR', ['projects', 'tmp']],
  ['amp', 'AMP_DATA_DIR', ['threads']],
  ['opencode', 'OPENCODE_DATA_DIR', ['']],
  ['gemini-cli', 'GEMINI_CLI_HOME', ['.gemini', '']],
  ['droid', 'DROID_SESSIONS_DIR', ['']],
] as const;

describe('where logs are looked for', () => {
  for (const env of [LINUX, MAC, WINDOWS]) {
    const path = env.os === 'win32' ? win32 : posix;

    for (const [platform, folders] of Object.entries(UNDER_HOME)) {
      it(`${env.os}: ${platform}`, () => {
        const places = folders.map((folder) => path.join(env.home, ...folder.split('/')));
        expect(placesOf(platform, env)).to.deep.equal(places);
      });
    }

    for (const [platform, variable, folders] of MOVED) {
      it(`${env.os}: ${platform}, moved by ${variable}`, () => {
        const folder = env.os === 'win32' ? 'D:\\elsewhere' : '/srv/elsewhere';
        const places = folders.map((each) => path.join(folder, each));
        expect(placesOf(platform, withVariables(env, { [variable]: folder }))).to.deep.equal(places);
      });
    }
  }

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

  it('moves only the folder that a variable is for', () => {
    const codex = withVariables(LINUX, { CODEX_HOME: '/srv/x' });
    const moved = ['/srv/x/sessions', '/srv/x/archived_sessions', '/home/nova/.openclaw/agents'];
    expect(placesOf('codex', codex)).to.deep.equal(moved);
    const [kimi, pi] = ['KIMI_CODE_HOME', 'PI_AGENT_DIR'].map((name) => withVariables(LINUX, { [name]: '/srv/x' }));
    expect(placesOf('kimi', kimi!)).to.deep.equal(['/home/nova/.kimi/sessions', '/srv/x/sessions']);
    expect(placesOf('pi', pi!)).to.deep.equal(['/srv/x/sessions', '/home/nova/.omp/agent/sessions']);
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
