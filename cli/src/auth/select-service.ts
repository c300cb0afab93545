import { CliError } from '../cli-error.ts';
import type { Settings } from '../settings.ts';
import { openSessions } from './sessions.ts';

/**
 * The service that `--service` names, else the one at `--base-url`, else that of the latest sign-in. A sign-in may make or move
 * a name, and a background service is removed after its sign-in as well.
 */
export async function selectService(settings: Settings, command: string): Promise<Settings> {
  const { service, isBaseUrlGiven } = settings;
  const sessions = openSessions(settings.configDir, false);
  if (isBaseUrlGiven && (service === null || command === 'login')) return settings;
  const session = service === null ? await sessions.latest() : await sessions.named(service);
  const isOther = service !== null && isBaseUrlGiven && session?.base_url !== settings.baseUrl;
  if (service !== null && (session === null || isOther) && command !== 'uninstall') {
    const which = session === null ? `no sign-in is named "${service}"` : `"${service}" is ${session.base_url}`;
    const hint = `Sign in with: upsilon login --service ${service} --base-url ADDRESS. upsilon services lists the names.`;
    throw new CliError('usage', 'service_unknown', which, hint);
  }
  return session === null || isOther ? settings : { ...settings, baseUrl: session.base_url };
}
