import { expect } from 'chai';
import type { Environment } from '../../../../cli/src/environment.ts';
import { claudeCode } from '../../../../cli/src/sources/claude-code.ts';
import { LINUX, withVariables } from '../../support/scan-source.ts';

describe('where Claude Code keeps its logs', () => {
  it('looks in the XDG place and the home folder, whichever version wrote there', () => {
    expect(claudeCode.places(LINUX)).to.deep.equal([
      '/home/nova/.config/claude/projects',
      '/home/nova/.config/claude/transcripts',
      '/home/nova/.claude/projects',
      '/home/nova/.claude/transcripts',
      '/home/nova/.config/Claude/local-agent-mode-sessions',
    ]);
  });

  it('follows XDG_CONFIG_HOME, and ignores a relative one as the specification asks', () => {
    expect(claudeCode.places(withVariables(LINUX, { XDG_CONFIG_HOME: '/data/settings' }))[0]).to.equal(
      '/data/settings/claude/projects',
    );
    expect(claudeCode.places(withVariables(LINUX, { XDG_CONFIG_HOME: 'settings' }))).to.deep.equal(
      claudeCode.places(LINUX),
    );
  });

  it('looks nowhere else when CLAUDE_CONFIG_DIR names a home', () => {
    expect(claudeCode.places(withVariables(LINUX, { CLAUDE_CONFIG_DIR: '/data/claude' }))).to.deep.equal([
      '/data/claude/projects',
      '/data/claude/transcripts',
    ]);
  });

  it('takes a list of homes and projects folders in CLAUDE_CONFIG_DIR, each once', () => {
    const CLAUDE_CONFIG_DIR = '/data/one, /data/two/projects/,,/data/one';
    expect(claudeCode.places(withVariables(LINUX, { CLAUDE_CONFIG_DIR }))).to.deep.equal([
      '/data/one/projects',
      '/data/one/transcripts',
      '/data/two/projects',
    ]);
  });

  it("looks in the user's profile on Windows", () => {
    const windows: Environment = { ...LINUX, os: 'win32', home: 'C:\\Users\\nova' };
    expect(claudeCode.places(windows)).to.include('C:\\Users\\nova\\.claude\\projects');
    const moved = claudeCode.places(withVariables(windows, { CLAUDE_CONFIG_DIR: 'D:\\logs' }));
    expect(moved).to.deep.equal(['D:\\logs\\projects', 'D:\\logs\\transcripts']);
  });

  it("looks in the desktop application's folder on each system", () => {
    const windows: Environment = { ...LINUX, os: 'win32', home: 'C:\\Users\\nova' };
    const data = 'C:\\Users\\nova\\AppData';
    for (const [env, ...folders] of [
      [
        { ...LINUX, os: 'darwin', home: '/Users/nova' },
        '/Users/nova/Library/Application Support/Claude/local-agent-mode-sessions',
      ],
      [withVariables(LINUX, { XDG_CONFIG_HOME: '/srv/settings' }), '/srv/settings/Claude/local-agent-mode-sessions'],
      [
        windows,
        `${data}\\Roaming\\Claude\\local-agent-mode-sessions`,
        `${data}\\Local\\Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude\\local-agent-mode-sessions`,
      ],
    ] as const) {
      expect(claudeCode.places(env)).to.include.members(folders);
    }
  });
});
