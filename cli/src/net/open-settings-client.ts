import { setTimeout as sleep } from 'node:timers/promises';
import type { TokenSource } from '../auth/identity.ts';
import type { Screen } from '../output/screen.ts';
import { type Client, openClient } from './client.ts';

/** Opens a client that notes its waits on the screen. */
export function openSettingsClient(baseUrl: string, tokens: TokenSource, screen: Screen): Client {
  return openClient(baseUrl, tokens, {
    now: Date.now,
    sleep: (milliseconds) => sleep(milliseconds),
    random: Math.random,
    onWait: (reason, milliseconds) => {
      screen.note(`${reason}. Trying again in ${Math.max(1, Math.ceil(milliseconds / 1000))} s.`);
    },
  });
}
