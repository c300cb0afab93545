import { findIdentity, requireTokens } from '../auth/identity.ts';
import type { Environment } from '../environment.ts';
import type { ExitName } from '../exit-codes.ts';
import { isObject } from '../json.ts';
import { openSettingsClient } from '../net/open-settings-client.ts';
import { printable } from '../net/problem.ts';
import type { Screen } from '../output/screen.ts';
import type { Settings } from '../settings.ts';
import { readDeviceKey } from '../signing/device-key.ts';

/** Shows the enrolled keys, and which one is this machine's. */
export async function listDevicesCommand(settings: Settings, env: Environment, screen: Screen): Promise<ExitName> {
  const client = openSettingsClient(settings.baseUrl, requireTokens(await findIdentity(settings, env)), screen);
  const { body } = await client.get('/devices');
  const listed = isObject(body) && Array.isArray(body['devices']) ? body['devices'].filter(isObject) : [];
  const own = (await readDeviceKey(settings.configDir))?.kid ?? null;
  if (listed.length === 0) screen.printWrapped('No device is enrolled yet. The first submission enrols this one.');
  for (const device of listed) {
    const text = (name: string): string => (typeof device[name] === 'string' ? printable(device[name]) : '');
    const labels = [
      device['kid'] === own ? 'this machine' : '',
      typeof device['revoked_at'] === 'string' ? 'revoked' : '',
    ];
    const label = labels.filter((each) => each !== '').join(', ');
    screen.print(`${screen.paint.bold(text('name') || '(no name)')}${label === '' ? '' : ` (${label})`}`);
    screen.print(`  ${text('kid')}`);
    screen.print(`  enrolled ${text('created_at') || '-'}`);
  }
  screen.result({ base_url: settings.baseUrl, this_machine: own, devices: listed });
  return 'ok';
}

/** Revokes a key: what it signs from now on is refused. */
export async function revokeDeviceCommand(
  settings: Settings,
  env: Environment,
  screen: Screen,
  kid: string,
): Promise<ExitName> {
  const client = openSettingsClient(settings.baseUrl, requireTokens(await findIdentity(settings, env)), screen);
  await client.delete(`/devices/${encodeURIComponent(kid)}`);
  screen.printWrapped('Revoked. Snapshots that it signed before remain valid.');
  // A key that is refused here because others may have read it can still be revoked.
  const own = await readDeviceKey(settings.configDir).catch(() => null);
  if (own?.kid === kid)
    screen.printWrapped(`It was this machine's key: move ${own.path} away, and the next run creates a new one.`);
  screen.result({ base_url: settings.baseUrl, revoked: kid });
  return 'ok';
}
