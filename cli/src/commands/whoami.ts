import { fetchCodename } from '../auth/fetch-codename.ts';
import { findIdentity, requireTokens } from '../auth/identity.ts';
import { openSessions } from '../auth/sessions.ts';
import type { Environment } from '../environment.ts';
import type { ExitName } from '../exit-codes.ts';
import type { Screen } from '../output/screen.ts';
import type { Settings } from '../settings.ts';

/** Shows the codename that the service has for you, and saves it if it was renamed. */
export async function whoamiCommand(settings: Settings, env: Environment, screen: Screen): Promise<ExitName> {
  const identity = await findIdentity(settings, env);
  const token = await requireTokens(identity).get();
  const { session } = identity;
  const userinfo = session === null ? null : new URL('/oauth/userinfo', session.issuer).href;
  const codename = await fetchCodename(settings.baseUrl, userinfo, token);
  if (session !== null && session.codename !== codename) {
    const sessions = openSessions(settings.configDir, env.keychain);
    const tokens = await sessions.tokens(session);
    if (tokens !== null) await sessions.save({ ...session, codename }, tokens);
  }
  screen.printWrapped(`${codename} at ${settings.baseUrl}`);
  screen.result({ base_url: settings.baseUrl, codename, signed_in: session !== null });
  return 'ok';
}
