import { openSignedInClient } from '../auth/identity.ts';
import { CliError } from '../cli-error.ts';
import type { Command } from '../command-context.ts';
import { isObject, objectOf } from '../json.ts';
import { printableText } from '../net/problem.ts';
import { momentText } from '../output/screen.ts';
import { readDeviceKey, setKeyAside } from '../signing/device-key.ts';

/** Shows the enrolled keys, and which one is this machine's. */
export const listDevicesCommand: Command = async (context) => {
  const { settings, screen } = context;
  const client = await openSignedInClient(context);
  const { devices } = objectOf((await client.get('/devices')).body);
  const listed = Array.isArray(devices) ? devices.filter(isObject) : [];
  const own = (await readDeviceKey(settings.configDir))?.kid ?? null;
  if (listed.length === 0) screen.printWrapped('No device is enrolled yet. The first submission enrols this one.');
  for (const { kid, name, revoked_at, created_at } of listed) {
    const labels = [...(kid === own ? ['this machine'] : []), ...(typeof revoked_at === 'string' ? ['revoked'] : [])];
    const label = labels.length === 0 ? '' : ` (${labels.join(', ')})`;
    screen.print(`${screen.paint.bold(printableText(name) ?? '(no name)')}${label}`);
    screen.print(`  ${printableText(kid) ?? ''}`);
    screen.print(`  enrolled ${Number.isNaN(Date.parse(String(created_at))) ? '-' : momentText(String(created_at))}`);
  }
  screen.result({ base_url: settings.baseUrl, this_machine: own, devices: listed });
  return 'ok';
};

/** Revokes a key: what it signs from now on is refused. */
export const revokeDeviceCommand: Command<{ readonly argument: string }> = async (context) => {
  const {
    settings,
    screen,
    options: { argument: kid },
  } = context;
  const client = await openSignedInClient(context);
  // A key that is refused here because others may have read it can still be revoked.
  const own = await readDeviceKey(settings.configDir).catch(() => null);
  const isOwn = own?.kid === kid;
  try {
    await client.delete(`/devices/${encodeURIComponent(kid)}`);
  } catch (error) {
    // This machine's key may be lost before the service knew it.
    if (!isOwn || !(error instanceof CliError) || error.code !== 'device_unknown') throw error;
  }
  screen.printWrapped('Revoked. Snapshots that it has already signed remain valid.');
  if (isOwn) {
    const aside = await setKeyAside(own);
    screen.printWrapped(`It was this machine's key, and its file is now ${aside}. The next run creates a new key.`);
  }
  screen.result({ base_url: settings.baseUrl, revoked: kid });
  return 'ok';
};
