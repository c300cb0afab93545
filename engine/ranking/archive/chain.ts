import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ArchiveConfig } from '../../../config/archive.ts';
import { type ArchiveKeys, ArchiveLink, isSignedLink, linkFile } from '../../contract/archive.ts';
import type { RankingContext } from '../context.ts';
import type { ArchiveHead } from '../storage/archive-lines.ts';
import { randomId } from '../storage/unique-id.ts';
import { placePart, readIfThere, writeFileWhole } from './archive-files.ts';

const LEASE = 'archive';
/** How long others wait after a process dies in its work. Longer than the deadline of each job that works on the archive. */
const LEASE_MS = 30 * 60_000;

/** Where an archive is written to, and what signs it. */
export interface ArchiveTarget extends ArchiveConfig {
  /** The address of the website. */
  readonly service: string;
  readonly keys: {
    /** A detached JWS; the same for the same bytes under one key. */
    readonly sign: (bytes: Uint8Array) => Promise<string>;
    readonly jwks: () => Promise<ArchiveKeys>;
  };
}

type Content<Link = ArchiveLink> = Link extends ArchiveLink ? Omit<Link, 'link' | 'previous'> : never;

/** Runs work on the archive whose chain is settled, unless another process works on it: then it does nothing. */
export async function withArchive(
  context: RankingContext,
  target: ArchiveTarget,
  work: (head: ArchiveHead) => Promise<void>,
): Promise<void> {
  const { leases } = context.stores;
  const holder = randomId();
  const now = context.clock();
  if (!(await leases.acquire(LEASE, holder, new Date(now), new Date(now + LEASE_MS)))) return;
  try {
    await work(await settle(context, target));
  } finally {
    await leases.release(LEASE, holder);
  }
}

/** Signs and writes the next link, and applies it. The link's file is what publishes it: what follows can be repeated from it. */
export async function appendLink(
  context: RankingContext,
  target: ArchiveTarget,
  head: ArchiveHead,
  content: Content,
): Promise<ArchiveHead> {
  const { type, ...rest } = content;
  const number = head.link + 1;
  const text = `${JSON.stringify({ type, link: number, previous: head.sha256, ...rest }, null, 1)}\n`;
  await writeFileWhole(join(target.dir, linkFile(number, 'jws')), `${await target.keys.sign(Buffer.from(text))}\n`);
  await context.failpoint('archive.signed');
  await writeFileWhole(join(target.dir, linkFile(number)), text);
  await context.failpoint('archive.link_written');
  return applyLink(context, target, head, Buffer.from(text));
}

/** Completes what a process that died left behind, publishes the keys, and begins the chain again where its files were lost. */
async function settle(context: RankingContext, target: ArchiveTarget): Promise<ArchiveHead> {
  const { archiveLines } = context.stores;
  await writeKeys(target);
  let head = await archiveLines.head();
  for (;;) {
    const next = await readIfThere(join(target.dir, linkFile(head.link + 1)));
    if (next === null) break;
    head = await adoptLink(context, target, head, next);
  }
  if (head.link === 0 || (await readIfThere(join(target.dir, linkFile(head.link)))) !== null) return head;
  await archiveLines.remove(await archiveLines.filesUntil(head.day ?? ''));
  const lost: [number, number] = [head.first, head.link];
  return appendLink(context, target, head, { type: 'upsilon_archive_gap', lost_links: lost, last_day: head.day });
}

/** Takes a link that another process wrote. Throws for one that does not continue this chain, or whose operators are not stored. */
async function adoptLink(
  context: RankingContext,
  target: ArchiveTarget,
  head: ArchiveHead,
  bytes: Buffer,
): Promise<ArchiveHead> {
  const file = linkFile(head.link + 1);
  const jws = await readIfThere(join(target.dir, linkFile(head.link + 1, 'jws')));
  const link = ArchiveLink.parse(JSON.parse(bytes.toString()));
  const isOwn = jws !== null && isSignedLink(bytes, jws.toString(), await target.keys.jwks());
  if (!isOwn || link.previous !== head.sha256) {
    throw new Error(`${file} in ${target.dir} does not continue the archive of this service: use another folder`);
  }
  if (link.type === 'upsilon_archive_day') {
    const known = new Set(await context.stores.archiveLines.filesUntil(link.day));
    const unknown = link.parts.find((part) => !known.has(part.file));
    // Without them an erasure could not find its lines.
    if (unknown)
      throw new Error(`whose lines ${unknown.file} in ${target.dir} holds is not stored: move the folder away`);
  }
  return applyLink(context, target, head, bytes);
}

async function applyLink(
  { stores: { archiveLines }, failpoint }: RankingContext,
  { dir }: ArchiveTarget,
  head: ArchiveHead,
  bytes: Buffer,
): Promise<ArchiveHead> {
  const link = ArchiveLink.parse(JSON.parse(bytes.toString()));
  if (link.type === 'upsilon_archive_amendment') {
    for (const { file, sha256 } of link.changes) {
      await placePart(join(dir, file));
      await archiveLines.setHash(file, sha256);
    }
    await failpoint('archive.applied');
  }
  const next: ArchiveHead = {
    first: link.type === 'upsilon_archive_gap' ? link.link : head.first,
    link: link.link,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    day: link.type === 'upsilon_archive_day' ? link.day : head.day,
  };
  const index = { first: next.first, last: next.link, sha256: next.sha256 };
  await writeFileWhole(join(dir, 'index.json'), `${JSON.stringify(index)}\n`);
  await failpoint('archive.index_written');
  await archiveLines.setHead(next);
  await failpoint('archive.head_written');
  return next;
}

/** Keys stay in the file also when the store lost them: what they signed stays. */
async function writeKeys({ dir, keys }: ArchiveTarget): Promise<void> {
  const path = join(dir, 'keys.json');
  const former = await readIfThere(path);
  const { keys: own } = await keys.jwks();
  const known: ArchiveKeys['keys'] = former === null ? [] : JSON.parse(former.toString()).keys;
  const kept = known.filter((key) => own.every(({ kid }) => kid !== key.kid));
  const text = `${JSON.stringify({ keys: [...own, ...kept] })}\n`;
  if (former?.toString() !== text) await writeFileWhole(path, text);
}
