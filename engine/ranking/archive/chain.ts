import { createHash } from 'node:crypto';
import { mkdir, open, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { ArchiveConfig } from '../../../config/env-fields.ts';
import { type ArchiveLink, type ArchivePart, LAST_FILE, linkFile, linkOf } from '../../contract/archive.ts';
import { readIn } from '../../contract/recompute.mjs';
import type { RankingContext } from '../context.ts';
import { randomId } from '../storage/unique-id.ts';

const LEASE = 'archive';
/** How long others wait after a process dies in its work. A part or a link is written in seconds. */
const LEASE_MS = 120_000;

/** Fixed: a part that is written again has the same bytes. Node's header of gzip has no time. Level 6 saves 1 % and takes twice as long. */
const GZIP_LEVEL = 3;

interface KeySet {
  readonly keys: readonly { readonly kid: string }[];
}

/** Where an archive is written to, and what signs it. */
export interface ArchiveTarget extends ArchiveConfig {
  /** The address of the website. */
  readonly service: string;
  readonly keys: {
    /** A compact JWS; the same for the same content under one key. */
    readonly sign: (typ: string, content: object) => Promise<string>;
    readonly jwks: () => Promise<KeySet>;
  };
}

/** The work of the one process that has the archive. */
export interface ArchiveRun {
  readonly context: RankingContext;
  readonly target: ArchiveTarget;
  /** The last link; null before the first. */
  head: string | null;
  /** Renews the lease. Throws when another process has it since, or the job is over. */
  readonly proceed: () => Promise<void>;
}

/** What a link states, without its place in the chain. */
type ArchiveContent = Pick<ArchiveLink, 'type' | 'day' | 'parts'> & Readonly<Record<string, unknown>>;

type OnArchive = (context: RankingContext, target: ArchiveTarget, signal?: AbortSignal) => Promise<void>;

/** Work on an archive whose last link is published. It does nothing while another process works on it. */
export function onArchive(work: (run: ArchiveRun) => Promise<void>): OnArchive {
  return async (context, target, signal) => {
    const { leases, archiveLines } = context.stores;
    const holder = randomId();
    const until = () => new Date(context.clock() + LEASE_MS);
    const proceed = async () => {
      signal?.throwIfAborted();
      if (!(await leases.renew(LEASE, holder, until()))) throw new Error('another process writes the archive');
    };
    if (!(await leases.acquire(LEASE, holder, new Date(context.clock()), until()))) return;
    try {
      const run = { context, target, head: await archiveLines.head(), proceed };
      await settle(run);
      await work(run);
    } finally {
      await leases.release(LEASE, holder);
    }
  };
}

/** Publishes the link that a process which died had stored; begins a chain where there is none. */
async function settle(run: ArchiveRun): Promise<void> {
  const { head, target } = run;
  const last = (await readIn(target.dir)(LAST_FILE))?.toString() ?? null;
  const link = head === null ? null : linkOf(head);
  const isLeft = last === head;
  if (last === null && link?.type !== 'beginning') await appendLink(run, { type: 'beginning' });
  else if (head !== null && (last === null || sha256Of(last) === link?.previous)) await publish(run, head);
  // Lines in it may be of operators that are not stored, or were blanked since.
  else if (!isLeft)
    throw new Error(`${target.dir} is not as this service left it: restore its newest copy, or move the folder away`);
}

/** The last day that was archived; null before the first. */
export const newestDayOf = ({ head }: ArchiveRun) => (head === null ? null : linkOf(head).newest_day);

/** Stages a part and whose its lines are (0: blank), until a link publishes both. */
export async function stagePart(
  { context: { stores, failpoint }, target }: ArchiveRun,
  file: string,
  lines: Iterable<string> | AsyncIterable<string>,
  operators: Uint32Array,
  until: Date,
): Promise<ArchivePart> {
  const bytes = await pipeline(lines, createGzip({ level: GZIP_LEVEL }), buffer);
  const sha256 = sha256Of(bytes);
  await stageFile(join(target.dir, file), bytes);
  await failpoint('archive.part_staged');
  await stores.archiveLines.stage(file, sha256, operators, until);
  return { file, bytes: bytes.length, sha256 };
}

/** Signs and stores the next link, which decides that it is published with its staged parts, and publishes it. */
export async function appendLink(run: ArchiveRun, content: ArchiveContent): Promise<void> {
  const { context, target, head } = run;
  const former = head === null ? null : linkOf(head);
  const link = 1 + (former?.link ?? 0);
  const first = content.type === 'beginning' ? link : former?.first;
  const newest_day = content.type === 'day' ? content.day : newestDayOf(run);
  const previous = head === null ? null : sha256Of(head);
  const jws = await target.keys.sign('archive+jws', { link, first, previous, newest_day, ...content });
  await run.proceed();
  if (!(await context.stores.archiveLines.setHead(head, jws))) throw new Error('another process wrote a link');
  await context.failpoint('archive.link_stored');
  run.head = jws;
  await publish(run, jws);
}

/** Puts the files of the last link in their places, `last.jws` last. Safe to repeat. */
async function publish({ context, target, proceed }: ArchiveRun, jws: string): Promise<void> {
  const link = linkOf(jws);
  for (const { file, sha256 } of link.parts ?? []) {
    await proceed();
    await context.stores.archiveLines.publish(file, sha256);
    await placeFile(join(target.dir, file));
  }
  await context.failpoint('archive.parts_placed');
  await proceed();
  await writeKeys(target);
  await writeWhole(join(target.dir, linkFile(link.link)), jws);
  await context.failpoint('archive.link_written');
  await proceed();
  await writeWhole(join(target.dir, LAST_FILE), jws);
}

/** Keys stay in the file also when the store lost them: what they signed stays. */
async function writeKeys({ dir, keys }: ArchiveTarget): Promise<void> {
  const former: KeySet = JSON.parse(String((await readIn(dir)('keys.json')) ?? '{"keys":[]}'));
  const { keys: own } = await keys.jwks();
  const kept = former.keys.filter((key) => own.every(({ kid }) => kid !== key.kid));
  await writeWhole(join(dir, 'keys.json'), JSON.stringify({ keys: [...own, ...kept] }));
}

/** What is staged is never served: it has no name of an archive's file. */
const staged = (path: string): string => `${path}.new`;

async function stageFile(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(staged(path), content, { flush: true });
}

/** Puts the staged file in its place, so that readers see either content; durable with its folder. Without one it is there already. */
async function placeFile(path: string): Promise<void> {
  await rename(staged(path), path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await using folder = await open(dirname(path), 'r');
  await folder.sync();
}

async function writeWhole(path: string, content: string): Promise<void> {
  await stageFile(path, content);
  await placeFile(path);
}

export const sha256Of = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');
