/** Opens an address in the user's browser, without waiting for it; false when that is not possible. */
export async function openBrowser(address: string, os: NodeJS.Platform): Promise<boolean> {
  // Loaded on demand: it loads the network modules.
  const { spawn } = await import('node:child_process');
  const [command, args] = opener(os);
  return new Promise((resolve) => {
    const child = spawn(command, [...args, address], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

/** The system's program for opening addresses. None goes through a shell, which would interpret the `&` in one. */
function opener(os: NodeJS.Platform): readonly [string, readonly string[]] {
  if (os === 'darwin') return ['open', []];
  if (os === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler']];
  return ['xdg-open', []];
}
