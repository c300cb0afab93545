/** Opens an address in the user's browser; false when there is no way to. Never waits for the browser. */
export async function openBrowser(address: string, os: NodeJS.Platform): Promise<boolean> {
  // Loaded only now: it brings the network's modules along.
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

/** The system's own program for opening addresses. None of them goes through a shell, which would read the `&` in one. */
function opener(os: NodeJS.Platform): readonly [string, readonly string[]] {
  if (os === 'darwin') return ['open', []];
  if (os === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler']];
  return ['xdg-open', []];
}
