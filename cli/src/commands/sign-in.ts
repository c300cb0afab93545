import { setTimeout as sleep } from 'node:timers/promises';
import { CODENAME_PATTERN, codenameKey } from '../../../engine/contract/signing/index.ts';
import { loginByDevice } from '../auth/device-login.ts';
import { discoverServer, type ServerMetadata } from '../auth/discovery.ts';
import { codenameMissing, findIdentity, isOfAutomation, openSignedInClient, requireTokens } from '../auth/identity.ts';
import { loginByBrowser } from '../auth/loopback-login.ts';
import { openBrowser } from '../auth/open-browser.ts';
import { openSessions, type Tokens } from '../auth/sessions.ts';
import { postForm } from '../auth/token-requests.ts';
import { CliError, type ExitName } from '../cli-error.ts';
import type { Command, CommandContext } from '../command-context.ts';
import type { Environment } from '../environment.ts';
import { objectOf } from '../json.ts';
import { exchange } from '../net/http.ts';
import { problemError, signInHint } from '../net/problem.ts';
import type { Screen } from '../output/screen.ts';
import { keyOfToken } from '../signing/device-key.ts';

/** Signs in: through the browser, or without one (or with `--device`) by a code that the user enters elsewhere. */
export const loginCommand: Command<{ readonly device?: boolean }> = async (context) => {
  const { settings, env, screen, options } = context;
  const { baseUrl, configDir } = settings;
  if (keyOfToken(settings.token) !== null) return keepAutomationToken(context);
  const server = await discoverServer(baseUrl);
  screen.printAlways(`Service:              ${new URL(baseUrl).host}`);
  screen.printAlways(`Authorization server: ${new URL(server.issuer).host}`);
  screen.note('If you do not know these hosts, stop with Ctrl+C.');
  const byDevice = options.device === true || (!env.display && server.deviceEndpoint !== null);
  const tokens = byDevice ? await byCode(server, screen) : await byBrowser(server, env, screen);
  const codename = await fetchCodename(baseUrl, server.userinfoEndpoint, tokens.access_token);
  const session = {
    name: settings.service ?? undefined,
    base_url: baseUrl,
    codename,
    issuer: server.issuer,
    resource: server.resource,
    token_endpoint: server.tokenEndpoint,
    revocation_endpoint: server.revocationEndpoint,
  };
  const place = await openSessions(configDir, env.keychain).save(session, tokens);
  screen.printWrapped(`Signed in as ${screen.paint.bold(codename)}. The tokens are stored in ${place}.`);
  screen.printWrapped('Next: upsilon --dry-run shows what would be sent; without --dry-run it is sent.');
  screen.result({ base_url: baseUrl, codename, issuer: server.issuer, tokens: place });
  return 'ok';
};

/** Keeps the automation token in UPSILON_TOKEN as the sign-in, for runs without the variable, such as a background service's. */
async function keepAutomationToken(context: CommandContext): Promise<ExitName> {
  const { settings, env, screen } = context;
  const { baseUrl, configDir, codename, token } = settings;
  if (codename === null) throw codenameMissing();
  const client = await openSignedInClient(context);
  try {
    await client.get('/snapshots/none-is-meant');
  } catch (error) {
    // The service took the token, and has no such snapshot.
    if (!(error instanceof CliError) || error.code !== 'snapshot_unknown') throw error;
  }
  const none = { issuer: '', token_endpoint: '', revocation_endpoint: null };
  const session = { name: settings.service ?? undefined, base_url: baseUrl, codename, resource: baseUrl, ...none };
  const tokens = { access_token: token ?? '', expires_at: Number.MAX_SAFE_INTEGER, refresh_token: null };
  const place = await openSessions(configDir, env.keychain).save(session, tokens);
  screen.printWrapped(`The automation token submits as ${screen.paint.bold(codename)}. It is stored in ${place}.`);
  screen.result({ base_url: baseUrl, codename, issuer: null, tokens: place });
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

/** Signs out: revokes the sign-in at the authorization server and deletes it here. Key and ledger stay. */
export const logoutCommand: Command = async ({ settings: { baseUrl, configDir }, env, screen }) => {
  const sessions = openSessions(configDir, env.keychain);
  const session = await sessions.find(baseUrl);
  if (session === null) {
    screen.printWrapped(`You are not signed in at ${baseUrl}.`);
    screen.result({ base_url: baseUrl, codename: null, revoked: false });
    return 'ok';
  }
  const { codename, revocation_endpoint } = session;
  const tokens = await sessions.tokens(session);
  const revoked = await revoke(revocation_endpoint, tokens?.refresh_token ?? tokens?.access_token ?? null);
  await sessions.remove(session);
  screen.printWrapped(`Signed out as ${codename}. The key and the ledger of this machine are kept.`);
  screen.printWrapped(signInHint(baseUrl));
  if (isOfAutomation(session)) {
    screen.warning('the automation token is valid until you revoke it on your account page.');
  } else if (!revoked) {
    screen.warning(
      'the service could not be reached to end this sign-in. It expires by itself; to end it now, sign out everywhere on your account page.',
    );
  }
  screen.result({ base_url: baseUrl, codename, revoked });
  return 'ok';
};

async function revoke(endpoint: string | null, token: string | null): Promise<boolean> {
  if (endpoint === null || token === null) return false;
  try {
    await postForm(endpoint, { token });
    return true;
  } catch (error) {
    if (error instanceof CliError) return false;
    throw error;
  }
}

/** Lists the sign-ins of this settings folder, the one that a run uses by default first. Sends nothing. */
export const servicesCommand: Command = async ({ settings, env, screen }) => {
  const sessions = [...(await openSessions(settings.configDir, env.keychain).list())].reverse();
  if (sessions.length === 0) screen.printWrapped('You are not signed in to any service. Sign in with: upsilon login');
  for (const { name = null, base_url, codename } of sessions) {
    screen.print(`${screen.paint.bold(name ?? new URL(base_url).host)}\n  ${codename} at ${base_url}`);
  }
  const listed = sessions.map(({ name = null, base_url, codename }) => ({ name, base_url, codename }));
  screen.result({ services: listed });
  return 'ok';
};

/** Shows the codename that the service has for you, and saves it if it was renamed. */
export const whoamiCommand: Command = async ({ settings, env, screen }) => {
  const { baseUrl, configDir } = settings;
  const identity = await findIdentity(settings, env);
  const token = await requireTokens(identity, settings).get();
  const { session } = identity;
  const userinfo = session === null ? null : new URL('/oauth/userinfo', session.issuer).href;
  const codename = await fetchCodename(baseUrl, userinfo, token);
  if (session !== null && session.codename !== codename) {
    await openSessions(configDir, env.keychain).rename(session, codename);
  }
  screen.printWrapped(`${codename} at ${baseUrl}`);
  screen.result({ base_url: baseUrl, codename, signed_in: session !== null });
  return 'ok';
};

/** The codename of a token, from the service or else from the authorization server's userinfo. Throws an `auth` error without one. */
async function fetchCodename(baseUrl: string, userinfo: string | null, token: string): Promise<string> {
  const endpoints = [
    [`${baseUrl}/me`, 'codename'],
    [userinfo, 'preferred_username'],
  ] as const;
  for (const [url, member] of endpoints) {
    if (url === null) continue;
    const response = await exchange({ method: 'GET', url, token, hint: 'Try again later.' });
    const name = objectOf(response.body)[member];
    if (response.status < 300 && typeof name === 'string' && CODENAME_PATTERN.test(codenameKey(name))) return name;
    if (response.status === 401 || objectOf(response.body)['code'] === 'token_scope')
      throw problemError(response, baseUrl);
  }
  const message = `${baseUrl} does not return your codename`;
  throw new CliError('auth', 'codename_unknown', message, signInHint(baseUrl));
}
