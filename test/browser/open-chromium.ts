import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
import { browserProgram } from './browser-program.ts';

/** Makes no requests except for the pages it opens. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A headless Chromium with a fresh profile. */
export interface Chromium {
  readonly context: BrowserContext;
  close(): Promise<void>;
}

/** The browser of this machine; throws when there is none. */
export async function openChromium(
  options: { readonly dark?: boolean; readonly phone?: boolean } = {},
): Promise<Chromium> {
  const executablePath = browserProgram();
  if (executablePath === null) throw new Error('there is no Chromium on this machine');
  const profile = await mkdtemp(join(tmpdir(), 'upsilon-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: FLAGS,
    javaScriptEnabled: false,
    colorScheme: options.dark === true ? 'dark' : 'light',
    viewport: options.phone === true ? { width: 390, height: 844 } : { width: 1280, height: 800 },
  });
  return {
    context,
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
