import { openSessions } from '../auth/sessions.ts';
import { OAuthError, postForm } from '../auth/token-requests.ts';
import { CliError } from '../cli-error.ts';
import type { Environment } from '../environment.ts';
import type { ExitName } from '../exit-codes.ts';
import type { Screen } from '../output/screen.ts';
import type { Settings } from '../settings.ts';

/** Signs out: revokes the sign-in at the authorization server and deletes it here. Key and ledger stay. */
export async function logoutCommand(settings: Settings, env: Environment, screen: Screen): Promise<ExitName> {
  const sessions = openSessions(settings.configDir, env.keychain);
  const session = await sessions.find(settings.baseUrl);
  if (session === null) {
    screen.printWrapped(`You are not signed in at ${settings.baseUrl}.`);
    screen.result({ base_url: settings.baseUrl, codename: null, revoked: false });
    return 'ok';
  }
  const tokens = await sessions.tokens(session);
  const revoked = await revoke(session.revocation_endpoint, tokens?.refresh_token ?? tokens?.access_token ?? null);
  await sessions.remove(session);
  screen.printWrapped(`Signed out as ${session.codename}. The key and the ledger of this machine are kept.`);
  if (!revoked) {
    screen.warning(
      'the sign-in could not be revoked at the service: it expires there, or revoke it on its page of connected apps.',
    );
  }
  screen.result({ base_url: settings.baseUrl, codename: session.codename, revoked });
  return 'ok';
}

async function revoke(endpoint: string | null, token: string | null): Promise<boolean> {
  if (endpoint === null || token === null) return false;
  try {
    await postForm(endpoint, { token });
    return true;
  } catch (error) {
    if (error instanceof OAuthError || error instanceof CliError) return false;
    throw error;
  }
}
