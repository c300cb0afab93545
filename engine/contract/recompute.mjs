// Checks an archive of Upsilon and computes its ranks again: node recompute.mjs FOLDER. Node 20 or newer; no packages.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const MAX_PART_TEXT = 64 * 1024 * 1024;
const sha256 = (bytes, encoding = 'hex') => createHash('sha256').update(bytes).digest(encoding);
const dayAfter = (day) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);

function require(condition, file, what) {
  if (!condition) throw new Error(`${file}: ${what}`);
}

function parse(file, text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${file}: it is not JSON`);
  }
}

// `read` returns the bytes of a file, or null. Throws an Error that names the first file that differs, else returns what was checked.
export async function recompute(read, { only = null, now = Date.now(), report = () => {} } = {}) {
  const { days, ...chain } = await checkChain(read);
  const checked = [];
  for (const day of days.values()) {
    if (only !== null && day.day !== only) continue;
    const blank = await checkLines(read, day, new Date(now).toISOString().slice(0, 10));
    checked.push({ day: day.day, lines: day.lines, blank });
    report(`${day.day}: ${blank === null ? 'no lines any more' : `${day.lines} lines, of which ${blank} are blank`}`);
  }
  return { ...chain, days: checked };
}

// Every link is signed (a compact JWS whose payload is left out) and names the SHA-256 of the one before.
async function checkChain(read) {
  const load = async (file, namedBy) => {
    const bytes = await read(file);
    require(bytes !== null, file, `there is no such file${namedBy ? `, which ${namedBy} names` : ''}`);
    return bytes;
  };
  const [index, keySet] = [String(await load('index.json')), String(await load('keys.json'))];
  const { first, last } = parse('index.json', index);
  // An id is the thumbprint of its key (RFC 7638).
  const published = parse('keys.json', keySet).keys?.map(({ x }) => {
    const kid = sha256(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url');
    return { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid, x };
  });
  require(keySet === `${JSON.stringify({ keys: published })}\n`, 'keys.json', 'it is not written as keys are');
  const keys = new Map(published.map((key) => [key.kid, createPublicKey({ key, format: 'jwk' })]));
  const [days, hashes, missing_days] = [new Map(), [], []];
  let [previous, lastDay, lost_links] = [null, null, 0];
  for (let number = first; number <= last; number++) {
    const [file, jws] = ['json', 'jws'].map((type) => `links/${String(number).padStart(6, '0')}.${type}`);
    const bytes = await load(file, 'index.json');
    const [, header, signature] = /^([\w-]+)\.\.([\w-]+)\n$/.exec(String(await load(jws, file))) ?? [];
    require(signature && Buffer.from(signature, 'base64url').toString('base64url') === signature, jws, 'it is no JWS');
    const key = keys.get(parse(jws, Buffer.from(header, 'base64url')).kid);
    const signed = Buffer.from(`${header}.${Buffer.from(bytes).toString('base64url')}`);
    const isSigned = key !== undefined && verify(null, signed, key, Buffer.from(signature, 'base64url'));
    require(isSigned, jws, `it is no signature of ${file} by a key of the archive`);
    const link = parse(file, bytes);
    const isGap = link.type === 'upsilon_archive_gap';
    // A chain that begins again after a loss states so in a link, which names the last one that was lost.
    const begins = number === 1 ? link.previous === null : isGap;
    require(number > first || begins, 'index.json', `it begins with ${file}, which does not begin a chain`);
    const follows = link.link === number && (number === first || link.previous === previous);
    require(follows, file, 'it does not name the link before');
    if (number === first && isGap) hashes.push(link.previous);
    if (isGap) {
      lost_links += link.lost_links[1] - link.lost_links[0] + 1;
      lastDay = link.last_day;
    } else if (link.type === 'upsilon_archive_day') {
      const missing = [];
      for (let day = lastDay && dayAfter(lastDay); day && day < link.day; day = dayAfter(day)) missing.push(day);
      const isNext = (lastDay === null || link.day > lastDay) && missing.join() === link.missing_days.join();
      require(isNext, file, 'it does not name the days without a board');
      missing_days.push(...missing);
      days.set(link.day, { ...link, parts: new Map(link.parts.map((part) => [part.file, { ...part, blanked: 0 }])) });
      lastDay = link.day;
    }
    // An amendment may be of a day whose link was lost.
    const amended = link.type === 'upsilon_archive_amendment' ? days.get(link.day)?.parts : undefined;
    for (const { former_sha256: former, blanked, ...now } of amended ? link.parts : []) {
      const part = amended.get(now.file);
      require(part?.sha256 === former, file, `${now.file} was not what it says before`);
      amended.set(now.file, { ...part, ...now, blanked: part.blanked + blanked });
    }
    previous = sha256(bytes);
    hashes.push(previous);
  }
  const expected = `${JSON.stringify({ first, last, sha256: previous })}\n`;
  require(index === expected, 'index.json', 'it does not name the last link');
  return { link: last, sha256: previous, hashes, keys: [...keys.keys()], missing_days, lost_links, days };
}

// Returns how many lines are blank; null where the lines were deleted, as the link says.
async function checkLines(read, { day, parts, lines, lines_until: until, columns, windows, methodology }, today) {
  // Numbers by column and line; NaN for null: the operator is not ranked there, or erased if all are null.
  const table = columns.map(() => new Float64Array(lines).fill(Number.NaN));
  let [at, blank] = [0, 0];
  for (const { file, sha256: stated, lines: count, blanked } of parts.values()) {
    const bytes = await read(file);
    if (bytes === null && until <= today) return null;
    require(bytes !== null, file, 'there is no such file');
    require(sha256(bytes) === stated, file, 'it is not what was signed');
    const rows = gunzipSync(bytes, { maxOutputLength: MAX_PART_TEXT }).toString().trimEnd().split('\n');
    require(rows.length === count, file, `it has ${rows.length} lines, not ${count}`);
    const blankBefore = blank;
    for (const text of rows) {
      const row = parse(file, text);
      const isNumeric = row.every((number) => number === null || Number.isFinite(number));
      require(isNumeric && row.length === columns.length && row[0] === at + 1, file, `line ${at + 1} is none`);
      if (row.every((number, column) => column === 0 || number === null)) blank += 1;
      for (const [column, number] of row.entries()) if (number !== null) table[column][at] = number;
      at += 1;
    }
    require(blank - blankBefore === blanked, file, `the amendments say that ${blanked} lines are blank`);
  }
  require(at === lines && columns.length === 1 + 2 * Object.keys(windows).length, day, 'lines or windows are missing');
  for (const [name, facts] of Object.entries(windows)) {
    const [yields, ranks] = ['yield', 'rank'].map((kind) => table[columns.indexOf(`${kind}_${name}`)]);
    checkWindow(`${day}, ${name}`, { yields, ranks, blank, isOrder: name === 'all_time' }, facts, methodology);
  }
  return blank;
}

// The Yields of blank lines are not known: a rank, a count or a place may exceed the recomputed one by at most their number.
function checkWindow(where, { yields, ranks, blank, isOrder }, { ranked, quantiles, tiers }, methodology) {
  const check = (what, stated, least, most = least + blank) =>
    require(stated >= least && stated <= most, where, `${what} is stated as ${stated}, and ${least} recomputed`);
  const order = Uint32Array.from(yields.keys()).filter((line) => yields[line] >= 0);
  order.sort((a, b) => yields[b] - yields[a] || a - b);
  require(yields.every((own, line) => own >= 0 === ranks[line] >= 1), where, 'a line has a Yield or a rank alone');
  check('the number of ranked operators', ranked, order.length);
  // Equal Yields share a rank.
  let [rank, beyond] = [0, 0];
  order.forEach((line, index) => {
    const isTie = index > 0 && yields[line] === yields[order[index - 1]];
    if (!isTie) rank = index + 1;
    check(`the rank of line ${line + 1}`, ranks[line], rank + beyond, isTie ? rank + beyond : rank + blank);
    beyond = ranks[line] - rank;
    require(!isOrder || index === 0 || line > order[index - 1], where, `line ${line + 1} is not in order`);
  });
  for (const [index, { name, from }] of methodology.tiers.entries()) {
    const end = methodology.tiers[index + 1]?.from ?? Number.POSITIVE_INFINITY;
    check(`the tier ${name}`, tiers[name], order.filter((line) => yields[line] >= from && yields[line] < end).length);
  }
  // The p-th percentile is the Yield at place ceil(ranked × (100 − p) / 100), to two digits.
  for (const [percent, stated] of Object.entries(quantiles)) {
    const index = Math.ceil((ranked * (100 - percent)) / 100) - 1;
    const at = (place, without) => Number((yields[order[place]] ?? without).toPrecision(2));
    check(`percentile ${percent}`, stated, at(index, 0), at(index - blank, Number.POSITIVE_INFINITY));
  }
}

const readHere = (file) => readFile(join(process.argv[2] ?? '.', file)).catch(() => null);

// Not when another program has it as a module.
if (basename(process.argv[1] ?? '') === 'recompute.mjs') {
  const checked = await recompute(readHere, { report: (line) => process.stdout.write(`${line}\n`) });
  process.stdout.write(`All is as stated, up to link ${checked.link}: ${checked.sha256}\n`);
}
