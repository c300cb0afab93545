import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ArchiveConfig } from '../../../config/env-fields.ts';
import { type ArchiveContent, linkFile } from '../../contract/archive.ts';
import type { RankingContext } from '../context.ts';
import type { ArchiveHead } from '../storage/archive-lines.ts';
import { randomId } from '../storage/unique-id.ts';
import { placeFile, readIfThere, sha256Of, stageFile, writeWhole } from './archive-files.ts';

const LEASE = 'archive';
/** How long others wait after a process dies in its work. A part or a link is written in seconds. */
const LEASE_MS = 120_000;

/** Fixed: a part that is written again has the same bytes. Node's header of gzip has no time. Level 6 saves 1 % and takes twice as long. */
const GZIP_LEVEL = 3;

const compress = promisify<string | Buffer, { level: number }, Buffer>(gzip);

type Keys = readonly { readonly kid: string }[];

/** Where an archive is written to, and what signs it. */
export interface ArchiveTarget extends ArchiveConfig {
  /** The address of the website. */
  readonly service: string;
  readonly keys: {
    /** A detached JWS; the same for the same bytes under one key. */
    readonly sign: (bytes: Uint8Array) => Promise<string>;
    readonly jwks: () => Promise<{ readonly keys: Keys }>;
  };
}

/** The work of the one process that has the archive. */
export interface ArchiveRun {
  readonly context: RankingContext;
  readonly target: ArchiveTarget;
  /** The end of the chain. */
  head: ArchiveHead;
  /** Renews the lease. Throws when another process has it since, or the job is over. */
  readonly proceed: () => Promise<void>;
}

/** Runs work on the archive whose last link is published, unless another process works on it: then it does nothing. */
export async function withArchive(
  context: RankingContext,
  target: ArchiveTarget,
  signal: AbortSignal | undefined,
  work: (run: ArchiveRun) => Promise<void>,
): Promise<void> {
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
}

/** Stages a part and whose its lines are (0: blank), until a link publishes both. */
export async function stagePart(
  { context: { stores, failpoint }, target }: ArchiveRun,
  file: string,
  text: string | Buffer,
  operators: Uint32Array,
  until: Date,
): Promise<{ file: string; bytes: number; sha256: string }> {
  const bytes = await compress(text, { level: GZIP_LEVEL });
  const sha256 = sha256Of(bytes);
  await stageFile(join(target.dir, file), bytes);
  await failpoint('archive.part_staged');
  await stores.archiveLines.stage(file, sha256, operators, until);
  return { file, bytes: bytes.length, sha256 };
}

/** Signs and stores the next link, which decides that it is published with its staged parts, and publishes it. */
export async function appendLink(run: ArchiveRun, content: ArchiveContent): Promise<void> {
  const { context, target, head } = run;
  const link = head.link + 1;
  const text = `${JSON.stringify({ link, previous: head.sha256, ...content }, null, 1)}\n`;
  const jws = `${await target.keys.sign(Buffer.from(text))}\n`;
  const isGap = content.type === 'upsilon_archive_gap';
  const parts = (isGap ? [] : content.parts).map(({ file, sha256 }) => ({ file, sha256 }));
  const next: ArchiveHead = {
    first: isGap ? link : head.first,
    link,
    sha256: sha256Of(text),
    day: content.type === 'upsilon_archive_day' ? content.day : head.day,
    pending: { text, jws, index: isGap ? null : indexOf(head), parts },
  };
  await run.proceed();
  if (!(await context.stores.archiveLines.setHead(head, next))) throw new Error('another process wrote a link');
  await context.failpoint('archive.link_stored');
  run.head = next;
  await publish(run);
}

/** Publishes what a process that died had decided, and the keys; begins the chain again where its files were lost. */
async function settle(run: ArchiveRun): Promise<void> {
  const { head, target } = run;
  const index = (await readIfThere(join(target.dir, 'index.json')))?.toString() ?? null;
  const isLeft = [indexOf(head), ...(head.pending === null ? [] : [head.pending.index])].includes(index);
  if (!isLeft && index !== null) {
    // Lines in it may be of operators that are not stored, or were blanked since.
    throw new Error(`${target.dir} is not as this service left it: restore its newest copy, or move the folder away`);
  }
  await writeKeys(target);
  if (isLeft) await publish(run);
  else await appendLink(run, { type: 'upsilon_archive_gap', lost_links: [head.first, head.link], last_day: head.day });
}

/** What `index.json` is while this is the end of the chain; null before the first link. */
function indexOf({ first, link, sha256 }: ArchiveHead): string | null {
  return link === 0 ? null : `${JSON.stringify({ first, last: link, sha256 })}\n`;
}

/** Puts the files of the last link in their places, the index last. Safe to repeat. */
async function publish(run: ArchiveRun): Promise<void> {
  const { archiveLines } = run.context.stores;
  const { failpoint } = run.context;
  const { dir } = run.target;
  const { pending, link } = run.head;
  if (pending === null) return;
  for (const part of pending.parts) {
    await run.proceed();
    await archiveLines.publish(part.file, part.sha256);
    await placeFile(join(dir, part.file));
  }
  await failpoint('archive.parts_placed');
  await writeWhole(join(dir, linkFile(link, 'jws')), pending.jws);
  await writeWhole(join(dir, linkFile(link)), pending.text);
  await failpoint('archive.link_written');
  await run.proceed();
  await writeWhole(join(dir, 'index.json'), indexOf(run.head) ?? '');
  await failpoint('archive.index_written');
  const published = { ...run.head, pending: null };
  await archiveLines.setHead(run.head, published);
  run.head = published;
}

/** Keys stay in the file also when the store lost them: what they signed stays. */
async function writeKeys({ dir, keys }: ArchiveTarget): Promise<void> {
  const path = join(dir, 'keys.json');
  const former = (await readIfThere(path))?.toString() ?? '{"keys":[]}';
  const known: { keys: Keys } = JSON.parse(former);
  const { keys: own } = await keys.jwks();
  const kept = known.keys.filter((key) => own.every(({ kid }) => kid !== key.kid));
  const text = `${JSON.stringify({ keys: [...own, ...kept] })}\n`;
  if (former !== text) await writeWhole(path, text);
}
