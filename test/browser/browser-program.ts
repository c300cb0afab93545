import { existsSync } from 'node:fs';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where Chromium is on this machine; null when there is none. */
export function browserProgram(): string | null {
  return PROGRAMS.find((path) => existsSync(path)) ?? null;
}
