import { posix, win32 } from 'node:path';
import type { Environment } from '../../environment.ts';

/** Folders of a Claude Code home that can hold session logs. */
const LOG_FOLDERS = ['projects', 'transcripts'];

/**
 * Where Claude Code keeps its logs. CLAUDE_CONFIG_DIR moves everything and may list several folders, parted by commas,
 * each a home or its `projects`; without it both the XDG place and `~/.claude` are used, as different versions wrote to
 * either. The desktop application on macOS keeps the logs of its agent sessions apart from both.
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
