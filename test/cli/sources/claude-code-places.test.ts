import { expect } from 'chai';
import { claudeCodePlaces } from '../../../cli/src/sources/claude-code/places.ts';
import { LINUX } from '../support/scan-source.ts';

describe('where Claude Code keeps its logs', () => {
  it('looks in the XDG place and the home folder, whichever version wrote there', () => {
    expect(claudeCodePlaces(LINUX)).to.deep.equal([
      '/home/nova/.config/claude/projects',
      '/home/nova/.config/claude/transcripts',
      '/home/nova/.claude/projects',
      '/home/nova/.claude/transcripts',
    ]);
  });

  it('follows XDG_CONFIG_HOME, and ignores a relative one as the specification asks', () => {
    expect(claudeCodePlaces({ ...LINUX, xdgConfigHome: '/data/settings' })[0]).to.equal(
      '/data/settings/claude/projects',
    );
    expect(claudeCodePlaces({ ...LINUX, xdgConfigHome: 'settings' })).to.deep.equal(claudeCodePlaces(LINUX));
  });

  it('looks nowhere else when CLAUDE_CONFIG_DIR names a home', () => {
    expect(claudeCodePlaces({ ...LINUX, claudeConfigDir: '/data/claude' })).to.deep.equal([
      '/data/claude/projects',
      '/data/claude/transcripts',
    ]);
  });

  it('takes a list of homes and projects folders in CLAUDE_CONFIG_DIR, each once', () => {
    const claudeConfigDir = '/data/one, /data/two/projects/,,/data/one';
    expect(claudeCodePlaces({ ...LINUX, claudeConfigDir })).to.deep.equal([
      '/data/one/projects',
      '/data/one/transcripts',
      '/data/two/projects',
    ]);
  });

  it("looks in the user's profile on Windows", () => {
    const places = claudeCodePlaces({ ...LINUX, os: 'win32', home: 'C:\\Users\\nova' });
    expect(places).to.include('C:\\Users\\nova\\.claude\\projects');
    const moved = claudeCodePlaces({
      ...LINUX,
      os: 'win32',
      home: 'C:\\Users\\nova',
      claudeConfigDir: 'D:\\logs',
    });
    expect(moved).to.deep.equal(['D:\\logs\\projects', 'D:\\logs\\transcripts']);
  });

  it("looks in the desktop application's folder on macOS alone", () => {
    const desktop = '/Users/nova/Library/Application Support/Claude/local-agent-mode-sessions';
    expect(claudeCodePlaces({ ...LINUX, os: 'darwin', home: '/Users/nova' })).to.include(desktop);
    expect(claudeCodePlaces({ ...LINUX, home: '/Users/nova' })).not.to.include(desktop);
  });
});
