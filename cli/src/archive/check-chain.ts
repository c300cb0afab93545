import { createHash } from 'node:crypto';
import type * as z from 'zod';
import {
  type ArchiveDay,
  ArchiveIndex,
  ArchiveKeys,
  ArchiveLink,
  daysBetween,
  isSignedLink,
  linkFile,
} from '../../../engine/contract/archive.ts';
import { parseJson } from '../json.ts';
import { type Archive, differs } from './open-archive.ts';

/** A day as its link and the amendments after it state it. */
export interface ChainedDay {
  readonly manifest: ArchiveDay;
  /** By file: what it has to be now, and how many of its lines are blank. */
  readonly parts: Map<string, { readonly sha256: string; readonly bytes: number; readonly blank: number }>;
}

/** What a chain states. */
export interface Chain {
  readonly first: number;
  readonly last: number;
  /** The SHA-256 of the last link: who saves it can check that nothing before it was changed. */
  readonly head: string;
  readonly hashes: ReadonlySet<string>;
  /** The links that were lost, as the service states. */
  readonly lostLinks: number;
  readonly missingDays: readonly string[];
  readonly days: ReadonlyMap<string, ChainedDay>;
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Reads a chain and checks its signatures, by the archive's keys or those given, and that each link names the one before. */
export async function checkChain(archive: Archive, trusted?: ArchiveKeys): Promise<Chain> {
  const index = parse('index.json', ArchiveIndex, await archive.read('index.json'));
  const keys = parse('keys.json', ArchiveKeys, await archive.read('keys.json'));
  for (const { kid, kty, crv, x } of keys.keys) {
    const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
    if (kid !== thumbprint) throw differs('keys.json', `the key ${kid} is not the one that it names`);
  }
  const days = new Map<string, ChainedDay>();
  const hashes = new Set<string>();
  const missingDays: string[] = [];
  let [lostLinks, head, lastDay]: [number, string | null, string | null] = [0, null, null];
  for (let number = index.first; number <= index.last; number++) {
    const file = linkFile(number);
    const bytes = await archive.read(file, 'index.json');
    const link = parse(file, ArchiveLink, bytes);
    if (!isSignedLink(bytes, (await archive.read(linkFile(number, 'jws'))).toString(), trusted ?? keys)) {
      throw differs(linkFile(number, 'jws'), `it is no signature of ${file} by a key of the archive`);
    }
    const isStart = number === index.first;
    if (isStart && !(number === 1 ? link.previous === null : link.type === 'upsilon_archive_gap')) {
      throw differs('index.json', `it begins with ${file}, which does not begin a chain`);
    }
    if (link.link !== number || (!isStart && link.previous !== head)) {
      throw differs(file, 'it does not name the link before');
    }
    if (isStart && link.previous !== null) hashes.add(link.previous);
    if (link.type === 'upsilon_archive_gap') {
      lostLinks += link.lost_links[1] - link.lost_links[0] + 1;
      lastDay = link.last_day;
    } else if (link.type === 'upsilon_archive_amendment') amend(file, days.get(link.day), link.changes);
    else {
      const missing = lastDay === null ? [] : daysBetween(lastDay, link.day);
      if (lastDay !== null && link.day <= lastDay) throw differs(file, 'its day is not after the one before');
      if (missing.join() !== link.missing_days.join()) throw differs(file, 'it does not name the missing days');
      missingDays.push(...missing);
      lastDay = link.day;
      const parts = link.parts.map((part) => [part.file, { ...part, blank: 0 }] as const);
      days.set(link.day, { manifest: link, parts: new Map(parts) });
    }
    head = sha256(bytes);
    hashes.add(head);
  }
  if (head !== index.sha256) throw differs('index.json', 'it does not name the last link');
  return { first: index.first, last: index.last, head, hashes, lostLinks, missingDays, days };
}

function amend(
  file: string,
  day: ChainedDay | undefined,
  changes: Extract<ArchiveLink, { type: 'upsilon_archive_amendment' }>['changes'],
): void {
  // The day of an amendment after a gap may be one whose link was lost.
  for (const { file: part, former_sha256: former, blanked, ...now } of changes) {
    const known = day?.parts.get(part);
    if (known?.sha256 !== former) throw differs(file, `${part} was not what it says before`);
    day?.parts.set(part, { sha256: now.sha256, bytes: now.bytes, blank: known.blank + blanked });
  }
}

/** A file of the archive has one form: nothing in it can be changed unseen. */
function parse<S extends z.ZodType>(file: string, schema: S, bytes: Buffer): z.output<S> {
  const text = bytes.toString();
  const value = parseJson(text);
  const parsed = schema.safeParse(value);
  const isWritten = [JSON.stringify(value), JSON.stringify(value, null, 1)].some((form) => text === `${form}\n`);
  if (!parsed.success || !isWritten) throw differs(file, 'it has not the form of the file');
  return parsed.data;
}
