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

export interface LoginFlags {
  readonly device?: boolean | undefined;
}

/** Signs in: through the browser, or without one (or with `--device`) by a code that the user enters elsewhere. */
export async function loginCommand(
  settings: Settings,
  env: Environment,
  screen: Screen,
  flags: LoginFlags,
): Promise<ExitName> {
  const server = await discoverServer(settings.baseUrl);
  screen.printAlways(`Service:              ${new URL(settings.baseUrl).host}`);
  screen.printAlways(`Authorization server: ${new URL(server.issuer).host}`);
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
  screen.printWrapped(`Signed in as ${screen.paint.bold(codename)}. The tokens are stored in ${place}.`);
  screen.printWrapped('Next: upsilon --dry-run shows what would be sent; upsilon sends it.');
  screen.result({ base_url: settings.baseUrl, codename, issuer: server.issuer, tokens: place });
  return 'ok';
}

function byBrowser(server: ServerMetadata, env: Environment, screen: Screen): Promise<Tokens> {
  const open = async (address: string): Promise<void> => {
    const opened = await openBrowser(address, env.os);
    screen.note(opened ? 'Opening your browser. If it does not open, visit:' : 'Visit this address to sign in:');
    screen.printAlways(address);
    screen.note('Waiting for you to sign in. On a machine without a browser: upsilon login --device');
  };
  return loginByBrowser(server, open, Date.now);
}

function byCode(server: ServerMetadata, screen: Screen): Promise<Tokens> {
  return loginByDevice(
    server,
    ({ code, address, completeAddress }) => {
      screen.note('On any device, visit:');
      screen.printAlways(completeAddress ?? address);
      screen.note('and check that it shows this code, or enter it:');
      screen.printAlways(code);
      screen.note('Waiting for you to sign in.');
    },
    { now: Date.now, sleep: (milliseconds) => sleep(milliseconds) },
  );
}
