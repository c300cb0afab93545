import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { DAY_MS } from '../../../../config/units.ts';
import { type ArchiveLink, LAST_FILE, linkFile, linkOf } from '../../../../engine/contract/archive.ts';
import { type RecomputeOptions, readIn, recompute } from '../../../../engine/contract/recompute.mjs';
import { openMongo } from '../../../../engine/mongo/index.ts';
import { ARCHIVE_FAILPOINTS, type FailpointName } from '../../../../engine/ranking/index.ts';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import { makeVictim } from '../../../faults/victim.ts';
import { runsOf } from '../../../support/long-run.ts';
import { runSeed, seededRandom } from '../../../support/seeded-random.ts';
import { useFolder } from '../../../support/temporary-folder.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';
import { openArchiveWorld } from './archive-world.ts';

const DAYS = runsOf(4, 30);
const FLIPS = runsOf(30, 1_000);
const REFERENCE = fileURLToPath(new URL('../../../../engine/contract/recompute.mjs', import.meta.url));

/** Checks a whole archive. */
const check = (dir: string, options?: RecomputeOptions) => recompute(readIn(dir), options);

/** The files of an archive, by name. */
function filesOf(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((file) => statSync(join(dir, file)).isFile());
}

const contentsOf = (dir: string) =>
  new Map(filesOf(dir).map((file) => [file, readFileSync(join(dir, file)).toString('base64')]));

/** All text of an archive, decompressed. */
function textOf(dir: string): string {
  return filesOf(dir)
    .map((file) => readFileSync(join(dir, file)))
    .map((bytes, at) => (filesOf(dir)[at]!.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString())
    .join('\n');
}

/** The link of a day, to be changed. */
interface Day extends Omit<ArchiveLink, 'parts'> {
  day: string;
  lines: number;
  missing_days: string[];
  windows: Record<
    string,
    { ranked: number; quantiles: Record<string, number>; tiers: Record<string, number> } | undefined
  >;
  parts: { file: string }[];
}

const sha256Of = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

const referenceOn = (dir: string): string => execFileSync(process.execPath, [REFERENCE, dir], { encoding: 'utf8' });

describe('the archive', () => {
  const random = seededRandom(runSeed());
  const folder = useFolder();
  const archived = useFreshFixture(() => openArchiveWorld(folder(), random));

  async function archiveDays(count: number, enrolled = 3): Promise<void> {
    for (let day = 0; day < count; day++) {
      await archived().nextDay(enrolled);
      await archived().write();
    }
  }

  it(`of ${DAYS} simulated days is recomputed equal, row by row, also as a program`, async () => {
    await archiveDays(DAYS);
    const { days, ...chain } = await check(folder());
    expect([days.length, chain.link, chain.missing_days, chain.lost_links]).to.deep.equal([DAYS, DAYS + 1, [], 0]);
    expect(days.at(-1)?.lines).to.be.above(DAYS);
    expect(referenceOn(folder()).trim().split('\n')).to.have.lengthOf(DAYS + 1);
    const reader = await archived().world.ranking.openBoardReader(() => undefined);
    expect(dayOf(DAYS + 1).windows['all_time']?.ranked).to.equal(reader.view().totals.all_time);
    await reader.close();
  });

  it('is not written again, and has no names', async () => {
    await archiveDays(2);
    const before = contentsOf(folder());
    await archived().submit(2);
    await archived().write();
    expect(contentsOf(folder())).to.deep.equal(before);
    expect(textOf(folder())).to.not.include('archived-');
  });

  it(`with one flipped bit in any file is refused by the name of the file, in ${FLIPS} of ${FLIPS} tries`, async () => {
    await archiveDays(2);
    await archived().archiveKeys.rotate();
    await archiveDays(1);
    await archived().world.ranking.operators.erase(await firstLine());
    await archived().world.ranking.archive.blankErased(archived().target);
    const missed: string[] = [];
    for (let flip = 0; flip < FLIPS; flip++) {
      const file = random.pick(filesOf(folder()).filter((name) => !name.endsWith('.new')));
      const path = join(folder(), file);
      const bytes = readFileSync(path);
      const changed = Buffer.from(bytes);
      const bit = random.integer(0, bytes.length * 8 - 1);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      writeFileSync(path, changed);
      const found = await check(folder()).then(
        () => 'nothing',
        (error: unknown) => String(error),
      );
      if (!found.includes(file)) missed.push(`${file} bit ${bit}: ${found}`);
      writeFileSync(path, bytes);
    }
    expect(missed).to.deep.equal([]);
    await check(folder());
  });

  it('is byte-equal after a crash at every failpoint, or a stall in which another process takes over', async () => {
    await archiveDays(1);
    await archived().nextDay();
    const [before, head] = [join(folder(), '../before'), await archived().world.ranking.archive.head()];
    cpSync(folder(), before, { recursive: true });
    await archived().write();
    const expected = contentsOf(folder());
    const stores = openStores(archived().world.connection);
    for (const at of [...ARCHIVE_FAILPOINTS, ...ARCHIVE_FAILPOINTS]) {
      rmSync(folder(), { recursive: true });
      cpSync(before, folder(), { recursive: true });
      await stores.archiveLines.setHead(await stores.archiveLines.head(), head);
      const resume = await crash(at, (engine) => engine.archive.write(archived().target));
      await archived().write();
      expect(contentsOf(folder()), at).to.deep.equal(expected);
      await resume();
      await archived().write();
      expect(contentsOf(folder()), `${at}, resumed`).to.deep.equal(expected);
    }
    rmSync(before, { recursive: true });
  });

  /** Stops a process at a failpoint; its lease is over when the next one comes. Returns what resumes it. */
  async function crash(
    at: FailpointName,
    work: (engine: ReturnType<typeof makeVictim>['engine']) => Promise<void>,
  ): Promise<() => Promise<unknown>> {
    const victim = makeVictim(archived().world, { at });
    const working = work(victim.engine);
    await victim.reachedBy(working);
    archived().world.now += 121_000;
    return () => {
      victim.wake();
      return working.catch((error: unknown) => expect(String(error)).to.include('another process'));
    };
  }

  it('is written by one process for as long as it proceeds', async () => {
    await archived().nextDay(3);
    const { world, target } = archived();
    let others = 0;
    const engine = world.another({
      // In all longer than a lease.
      failpoint: async () => {
        world.now += 50_000;
        await world.another({ failpoint: () => void (others += 1) }).archive.write(target);
      },
    });
    await engine.archive.write(target);
    expect(others).to.equal(0);
    expect((await check(folder())).days).to.have.lengthOf(1);
  });

  it('blanks the line of an operator that was erased while its day was written', async () => {
    await archiveDays(1, 9);
    const { world, target, operators } = archived();
    const found = await Promise.all(operators.map(yieldsOf));
    const operator = operators[found.findIndex((own) => own.length > 0)]!;
    await archived().nextDay(0);
    const victim = makeVictim(world, { at: 'archive.part_staged' });
    const working = victim.engine.archive.write(target);
    await victim.reachedBy(working);
    await world.ranking.operators.erase(operator);
    victim.wake();
    await working;
    const yields = await yieldsOf(operator);
    expect(yields).to.not.be.empty;
    await world.ranking.archive.blankErased(target);
    for (const number of yields) expect(textOf(folder())).to.not.include(`,${number},`);
    expect((await check(folder())).days.map(({ blank }) => blank)).to.deep.equal([1, 1]);
  });

  it('has no number of an erased operator after the pass, also one that crashed anywhere, and is recomputed', async () => {
    await archiveDays(3, 9);
    const { operators, world, target } = archived();
    for (const at of ARCHIVE_FAILPOINTS) {
      const found = await Promise.all(operators.map(yieldsOf));
      const yields = found.find((own) => own.length > 0)!;
      const [operator = 0] = operators.splice(found.indexOf(yields), 1);
      for (const number of yields) expect(textOf(folder())).to.include(number);
      await world.ranking.operators.erase(operator);
      await crash(at, (engine) => engine.archive.blankErased(target));
      await world.ranking.archive.blankErased(target);
      for (const number of yields) expect(textOf(folder()), at).to.not.include(`,${number},`);
    }
    const erased = ARCHIVE_FAILPOINTS.length;
    expect((await check(folder())).days.map((day) => day.blank)).to.include(erased);
    expect(referenceOn(folder())).to.include(`of which ${erased} are blank`);
    const known = await world.connection.collection('archive_lines').find().toArray();
    expect(known).to.have.lengthOf(3);
    const left = await Promise.all(known.map(({ _id }) => openStores(world.connection).archiveLines.part(String(_id))));
    expect(left.flatMap((part) => [...part!.operators]).filter((number) => number === 0)).to.have.length.of.at.least(
      erased,
    );
    const before = contentsOf(folder());
    await world.ranking.archive.blankErased(target);
    expect(contentsOf(folder())).to.deep.equal(before);
  });

  /** Signs the last day again, after a change of its link or its lines, as a service would that lies. */
  async function forge(change: (day: Day, rows: (number | null)[][]) => unknown): Promise<void> {
    const { link } = linkOf(contents(LAST_FILE));
    const day = structuredClone(dayOf(link));
    const [part] = day.parts;
    const rows = gunzipSync(readFileSync(join(folder(), part!.file)));
    const changed = rows
      .toString()
      .trim()
      .split('\n')
      .map((row): (number | null)[] => JSON.parse(row));
    change(day, changed);
    const bytes = gzipSync(changed.map((row) => `${JSON.stringify(row)}\n`).join(''));
    Object.assign(part!, { sha256: sha256Of(bytes), bytes: bytes.length });
    const jws = await archived().archiveKeys.sign('archive+jws', day);
    writeFileSync(join(folder(), part!.file), bytes);
    for (const file of [linkFile(link), LAST_FILE]) writeFileSync(join(folder(), file), jws);
  }

  const contents = (file: string): string => readFileSync(join(folder(), file)).toString();

  it('is refused where a link that is signed does not follow from its lines', async () => {
    await archiveDays(3);
    await archived().nextDay(1, 3);
    await archived().write();
    const before = join(folder(), '../before-forgery');
    cpSync(folder(), before, { recursive: true });
    await forge(() => undefined);
    await check(folder());
    for (const [change, found] of [
      [(_, rows) => (rows[1]![5]! += 1), /the rank of line/],
      [(_, rows) => (rows[0]![2]! /= 1e9), /7d: /],
      [(_, rows) => (rows[0]![8] = null), /a Yield or a rank alone/],
      [(_, rows) => rows[2]!.fill(null, 1), /0 lines are blank/],
      [(_, rows) => rows.pop(), /not as many/],
      [(_, rows) => (rows[3]![0] = 9), /not as many, or not as long/],
      [(_, rows) => rows.reverse().forEach((row, at) => (row[0] = at + 1)), /the place of a line/],
      [(day) => (day.windows['30d']!.ranked += 1), /30d: the number of ranked operators/],
      [(day) => (day.windows['30d']!.quantiles['50']! *= 2), /percentile 50/],
      [(day) => (Object.values(day.windows)[0]!.tiers[Object.keys(day.windows['7d']!.tiers)[0]!]! += 1), /the tier/],
      [(day) => delete day.windows['90d'], /windows are missing/],
      [(day) => (day.lines += 1), /lines or windows are missing/],
      [(day) => (day.missing_days = day.missing_days.slice(1)), /days without a board/],
      [(day) => (day.day = '2031-05-01'), /days without a board/],
    ] as const satisfies [Parameters<typeof forge>[0], RegExp][]) {
      await forge(change);
      expect(await check(folder()).then(() => 'nothing', String)).to.match(found);
      rmSync(folder(), { recursive: true });
      cpSync(before, folder(), { recursive: true });
    }
    rmSync(before, { recursive: true });
  });

  /** The link of a day. */
  const dayOf = (link: number): Day => JSON.parse(JSON.stringify(linkOf(contents(linkFile(link)))));

  /** Whose the first line of the first day is. */
  async function firstLine(): Promise<number> {
    const { archiveLines } = openStores(archived().world.connection);
    const [file = ''] = await archiveLines.published();
    return (await archiveLines.part(file))!.operators[0]!;
  }

  /** The operator's Yields in the archive that no other line has, as they are written. */
  async function yieldsOf(operator: number): Promise<string[]> {
    const { archiveLines } = openStores(archived().world.connection);
    const numbers = new Map<string, Set<number>>();
    for (const file of await archiveLines.published()) {
      const lines = gunzipSync(readFileSync(join(folder(), file)))
        .toString()
        .trim()
        .split('\n');
      const whose = (await archiveLines.part(file))!.operators;
      for (const [at, line] of lines.entries()) {
        for (const number of line.slice(1, -1).split(',').slice(1, 5)) {
          numbers.set(number, (numbers.get(number) ?? new Set()).add(whose[at]!));
        }
      }
    }
    return [...numbers].flatMap(([number, of]) =>
      number !== 'null' && of.size === 1 && of.has(operator) ? number : [],
    );
  }

  it('signs no part again that is not what was signed, and blanks the others', async () => {
    await archiveDays(2);
    const { world, target } = archived();
    const damaged = filesOf(folder()).find((file) => file.endsWith('.gz'))!;
    writeFileSync(join(folder(), damaged), 'not it');
    await world.ranking.operators.erase(await firstLine());
    const error = await world.ranking.archive.blankErased(target).catch((reason: unknown) => reason);
    expect(String(error)).to.include(damaged);
    expect(linkOf(contents(LAST_FILE)).link).to.equal(4);
  });

  it('names days without a board, and begins again where its folder was lost', async () => {
    await archiveDays(1);
    await archived().nextDay(1, 3);
    await archived().write();
    const lost = await check(folder());
    expect(lost.missing_days).to.have.lengthOf(2);
    rmSync(folder(), { recursive: true });
    await crash('archive.link_stored', (engine) => engine.archive.write(archived().target));
    await archiveDays(1);
    const again = await check(folder());
    expect([again.link, again.lost_links, again.days.length]).to.deep.equal([5, 3, 1]);
    await check(folder(), { saved: lost.sha256 });
    const unknown = await check(folder(), { saved: sha256Of('another') }).catch(String);
    expect(unknown).to.include(LAST_FILE).and.include(sha256Of('another'));
    expect(referenceOn(folder())).to.include('All is as stated, up to link 5');
  });

  it('keeps the keys of what they signed also when the store lost them', async () => {
    await archiveDays(1);
    const { world, archiveKeys } = archived();
    const former = (await archiveKeys.jwks()).keys.map(({ kid }) => kid);
    await world.connection.collection('archive_keys').deleteMany({});
    await archiveDays(1);
    expect((await archiveKeys.jwks()).keys.map(({ kid }) => kid)).to.not.include(former[0]);
    expect((await check(folder())).days).to.have.length(2);
  });

  it('deletes lines after their time, and keeps the links', async () => {
    await archiveDays(2);
    const first = (await check(folder())).days[0]!.day;
    await archived().nextDay(1, 399);
    await archived().write();
    expect(filesOf(folder()).filter((file) => file.startsWith(first))).to.deep.equal([]);
    expect(existsSync(join(folder(), linkFile(2)))).to.equal(true);
    const { days } = await check(folder(), { now: archived().world.now });
    expect(days.map(({ blank }) => blank === null)).to.deep.equal([true, false, false]);
    const early = await check(folder(), { now: archived().world.now - 2 * DAY_MS }).catch(String);
    expect(early, 'before its time').to.include(first);
  });

  it('goes on with the next day after lines of an older one were blanked', async () => {
    await archiveDays(1);
    const { world, target, operators } = archived();
    await world.ranking.operators.amend(operators[0]!, { listed: false });
    await archiveDays(2);
    await world.ranking.operators.erase(operators[0]!);
    await world.ranking.archive.blankErased(target);
    await archiveDays(1);
    expect((await check(folder())).days).to.have.length(4);
  });

  it('deletes lines before it forgets whose they are', async () => {
    await archiveDays(2);
    const first = (await check(folder())).days[0]!.day;
    const { world } = archived();
    const connection = await openMongo(`${world.database.mongoUrl}&monitorCommands=true`);
    const wereThere: boolean[] = [];
    connection.getClient().on('commandStarted', ({ commandName, command }) => {
      if (commandName === 'delete' && command['delete'] === 'archive_lines')
        wereThere.push(existsSync(join(folder(), first)));
    });
    await archived().nextDay(1, 399);
    await archived().write(world.another({ connection }));
    await connection.close();
    expect(wereThere).to.deep.equal([false]);
  });

  it('refuses a folder that is older than its chain, whose lines may not be blank that were', async () => {
    await archiveDays(2, 9);
    const [older, { world, target }] = [join(folder(), '../older'), archived()];
    cpSync(folder(), older, { recursive: true });
    await world.ranking.operators.erase(await firstLine());
    await world.ranking.archive.blankErased(target);
    rmSync(folder(), { recursive: true });
    cpSync(older, folder(), { recursive: true });
    await archived().nextDay();
    for (const work of [() => archived().write(), () => world.ranking.archive.blankErased(target)])
      expect(await work().catch(String)).to.include('restore its newest copy');
    rmSync(older, { recursive: true });
  });

  it('refuses a folder that holds another chain', async () => {
    await archiveDays(1);
    const { archiveLines } = openStores(archived().world.connection);
    await archiveLines.setHead(await archiveLines.head(), null);
    await archived().nextDay();
    expect(await archived().write().catch(String)).to.include('move the folder away');
  });
});
