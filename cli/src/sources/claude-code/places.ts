import { posix, win32 } from 'node:path';
import type { Environment } from '../../environment.ts';

/** Folders of a Claude Code home that can hold session logs. */
const LOG_FOLDERS = ['projects', 'transcripts'];

/**
 * The log folders of Claude Code. CLAUDE_CONFIG_DIR replaces the defaults and may contain several folders, separated by
 * commas, each a home or its `projects`. The defaults are the XDG place and `~/.claude`, because versions differ. The desktop
 * application on macOS has a separate folder for the logs of its agent sessions.
 */
export function claudeCodePlaces(env: Environment): readonly string[] {
  const path = env.os === 'win32' ? win32 : posix;
  if (env.claudeConfigDir !== undefined) {
    const homes = env.claudeConfigDir.split(',').map((home) => home.trim());
    return unique(
      homes
        .filter((home) => home !== '')
        .map((home) => path.resolve(home))
        .flatMap((home) =>
          path.basename(home) === 'projects' ? [home] : LOG_FOLDERS.map((folder) => path.join(home, folder)),
        ),
    );
  }
  const xdg = env.xdgConfigHome !== undefined && path.isAbsolute(env.xdgConfigHome) ? env.xdgConfigHome : null;
  const homes = [path.join(xdg ?? path.join(env.home, '.config'), 'claude'), path.join(env.home, '.claude')];
  const places = homes.flatMap((home) => LOG_FOLDERS.map((folder) => path.join(home, folder)));
  if (env.os === 'darwin') {
    places.push(path.join(env.home, 'Library', 'Application Support', 'Claude', 'local-agent-mode-sessions'));
  }
  return unique(places);
}

function unique(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)];
}
