import { setTimeout as sleep } from 'node:timers/promises';
import { isLoopback } from '../auth/discovery.ts';
import type { TokenSource } from '../auth/identity.ts';
import type { Screen } from '../output/screen.ts';
import { type Client, openClient } from './client.ts';

/** Opens a client that tells the user when it waits, and when the token would travel in the clear. */
export function openSettingsClient(baseUrl: string, tokens: TokenSource, screen: Screen): Client {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'http:' && !isLoopback(hostname)) {
    screen.warning(`${baseUrl} is not encrypted: anyone on the way can read your access token.`);
  }
  return openClient(baseUrl, tokens, {
    now: Date.now,
    sleep: (milliseconds) => sleep(milliseconds),
    random: Math.random,
    onWait: (reason, milliseconds) => {
      screen.note(`${reason}. Trying again in ${Math.max(1, Math.ceil(milliseconds / 1000))} s.`);
    },
  });
}
