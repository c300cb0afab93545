import { setTimeout as sleep } from 'node:timers/promises';
import { loginByDevice } from '../auth/device-login.ts';
import { discoverServer, type ServerMetadata } from '../auth/discovery.ts';
import { fetchCodename } from '../auth/fetch-codename.ts';
import { loginByBrowser } from '../auth/loopback-login.ts';
import { openBrowser } from '../auth/open-browser.ts';
import { openSessions, type Tokens } from '../auth/sessions.ts';
import { OAuthError } from '../auth/token-requests.ts';
import { CliError } from '../cli-error.ts';
import type { Environment } from '../environment.ts';
import type { ExitName } from '../exit-codes.ts';
import type { Screen } from '../output/screen.ts';
import type { Settings } from '../settings.ts';

/** What `login` was asked for. */
export interface LoginFlags {
  readonly device?: boolean | undefined;
}

/** Signs in: through the browser, or where there is none (or `--device`) by a code that is entered elsewhere. */
export async function loginCommand(
  settings: Settings,
  env: Environment,
  screen: Screen,
  flags: LoginFlags,
): Promise<ExitName> {
  const server = await discoverServer(settings.baseUrl);
  screen.tell(`Service:              ${new URL(settings.baseUrl).host}`);
  screen.tell(`Authorization server: ${new URL(server.issuer).host}`);
  screen.note('If you do not know these hosts, stop with Ctrl+C.');
  const byDevice = flags.device === true || (!env.display && server.deviceEndpoint !== null);
  let tokens: Tokens;
  try {
    tokens = byDevice ? await byCode(server, screen) : await byBrowser(server, env, screen);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    throw new CliError('auth', `sign_in_${error.code}`, `the sign-in failed: ${error.message}`, 'Run: upsilon login');
  }
  const codename = await fetchCodename(settings.baseUrl, server.userinfoEndpoint, tokens.access_token);
  const session = {
    base_url: settings.baseUrl,
    codename,
    issuer: server.issuer,
    resource: server.resource,
    token_endpoint: server.tokenEndpoint,
    revocation_endpoint: server.revocationEndpoint,
  };
  const place = await openSessions(settings.configDir, env.keychain).save(session, tokens);
  screen.say(`Signed in as ${screen.paint.bold(codename)}. The tokens are kept in ${place}.`);
  screen.say('Next: upsilon --dry-run shows what would be sent, upsilon sends it.');
  screen.result({ base_url: settings.baseUrl, codename, issuer: server.issuer, tokens: place });
  return 'ok';
}

function byBrowser(server: ServerMetadata, env: Environment, screen: Screen): Promise<Tokens> {
  const open = async (address: string): Promise<void> => {
    const opened = await openBrowser(address, env.os);
    screen.note(opened ? 'Your browser opens. If it does not, visit:' : 'Visit this address to sign in:');
    screen.tell(address);
    screen.note('Waiting for you to sign in. On a machine without a browser: upsilon login --device');
  };
  return loginByBrowser(server, open, Date.now);
}

function byCode(server: ServerMetadata, screen: Screen): Promise<Tokens> {
  return loginByDevice(
    server,
    ({ code, address, completeAddress }) => {
      screen.note('On any device, visit:');
      screen.tell(completeAddress ?? address);
      screen.note('and make sure that it shows this code, or enter it:');
      screen.tell(code);
      screen.note('Waiting for you to sign in.');
    },
    { now: Date.now, sleep: (milliseconds) => sleep(milliseconds) },
  );
}
