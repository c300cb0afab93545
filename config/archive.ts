import { fileURLToPath } from 'node:url';
import type { Env } from './env.ts';

/** Days for which the lines of an archived board are kept, and the bounds of the choice. */
const DAYS = { min: 30, max: 3_650, default: 400 };

export type ArchiveConfig = Readonly<NonNullable<ReturnType<typeof readArchive>>>;

/** The daily archive, from the parts of `ARCHIVE_URL`; null: there is none. Appends to `problems`. */
export function readArchive({ ARCHIVE_URL }: Env, problems: string[]) {
  if (ARCHIVE_URL === undefined) return null;
  const { searchParams } = ARCHIVE_URL;
  const license = searchParams.get('license')?.trim() ?? '';
  const days = searchParams.get('days') ?? String(DAYS.default);
  if (!/^[!-~][ -~]{0,199}$/.test(license)) {
    problems.push('ARCHIVE_URL has no license: add the one under which you publish, such as ?license=CC-BY-4.0');
  }
  if (!/^\d{1,4}$/.test(days) || Number(days) < DAYS.min || Number(days) > DAYS.max) {
    problems.push(`ARCHIVE_URL has days that are not an integer from ${DAYS.min} to ${DAYS.max}`);
  }
  const others = [...searchParams.keys()].filter((name) => name !== 'license' && name !== 'days');
  if (others.length > 0) problems.push(`ARCHIVE_URL has parts other than license and days: ${others.join(', ')}`);
  return {
    /** Absolute path of the folder that workers write, and that api processes or a static server read. */
    dir: fileURLToPath(new URL(ARCHIVE_URL.pathname, 'file:///')),
    /** The licence of the data: an SPDX id, a name or an address. */
    license,
    days: Number(days),
  };
}
