import { findIdentity, requireTokens } from '../auth/identity.ts';
import type { Environment } from '../environment.ts';
import type { ExitName } from '../exit-codes.ts';
import { isObject } from '../json.ts';
import { openSettingsClient } from '../net/open-settings-client.ts';
import { printable } from '../net/problem.ts';
import type { Screen } from '../output/screen.ts';
import type { Settings } from '../settings.ts';
import { readDeviceKey } from '../signing/device-key.ts';

/** Lists the keys that are enrolled for you, and marks this machine's. */
export async function listDevicesCommand(settings: Settings, env: Environment, screen: Screen): Promise<ExitName> {
  const client = openSettingsClient(settings.baseUrl, requireTokens(await findIdentity(settings, env)), screen);
  const { body } = await client.get('/devices');
  const listed = isObject(body) && Array.isArray(body['devices']) ? body['devices'].filter(isObject) : [];
  const own = (await readDeviceKey(settings.configDir))?.kid ?? null;
  if (listed.length === 0) screen.say('No device is enrolled yet. The first submission enrols this one.');
  for (const device of listed) {
    const text = (name: string): string => (typeof device[name] === 'string' ? printable(device[name]) : '');
    const marks = [
      device['kid'] === own ? 'this machine' : '',
      typeof device['revoked_at'] === 'string' ? 'revoked' : '',
    ];
    const mark = marks.filter((each) => each !== '').join(', ');
    screen.print(`${screen.paint.bold(text('name') || '(no name)')}${mark === '' ? '' : ` (${mark})`}`);
    screen.print(`  ${text('kid')}`);
    screen.print(`  enrolled ${text('created_at') || '-'}`);
  }
  screen.result({ base_url: settings.baseUrl, this_machine: own, devices: listed });
  return 'ok';
}

/** Revokes a key: nothing that it signs from now on is accepted. */
export async function revokeDeviceCommand(
  settings: Settings,
  env: Environment,
  screen: Screen,
  kid: string,
): Promise<ExitName> {
  const client = openSettingsClient(settings.baseUrl, requireTokens(await findIdentity(settings, env)), screen);
  await client.delete(`/devices/${encodeURIComponent(kid)}`);
  screen.say('Revoked. What it signed before stays.');
  // A key that cannot be used, as it may have been read by others, can be revoked all the same.
  const own = await readDeviceKey(settings.configDir).catch(() => null);
  if (own?.kid === kid) screen.say(`It was this machine's: move ${own.path} away, and the next run makes a new one.`);
  screen.result({ base_url: settings.baseUrl, revoked: kid });
  return 'ok';
}
