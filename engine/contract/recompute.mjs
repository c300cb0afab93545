// Checks an archive of Upsilon and computes its ranks again: node recompute.mjs FOLDER. Node 20 or newer; no packages.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const MAX_PART_TEXT = 64 * 1024 * 1024;
const sha256 = (bytes, encoding = 'hex') => createHash('sha256').update(bytes).digest(encoding);
const decode = (text) => Buffer.from(text, 'base64url');
const dayAfter = (day) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);

function require(condition, file, what) {
  if (!condition) throw new Error(`${file}: ${what}`);
}

// Reads files of a folder; null where there is none.
export const readIn = (folder) => (file) =>
  readFile(join(folder, file)).catch((error) => (error.code === 'ENOENT' ? null : Promise.reject(error)));

// `read` is as of `readIn`, `saved` the SHA-256 of a link that is expected. Throws an Error that names the first file that differs.
export async function recompute(read, { saved = null, only = null, now = Date.now(), report = () => {} } = {}) {
  const { days, parts, hashes, ...chain } = await checkChain(read);
  require(saved === null || hashes.includes(saved), 'last.jws', `before it there is no link ${saved}`);
  const checked = [];
  for (const { day, lines, ...stated } of days) {
    if (only !== null && day !== only) continue;
    const rows = await readLines(read, stated, parts, new Date(now).toISOString());
    const blank = rows && checkDay(day, rows, { ...stated, lines });
    checked.push({ day, lines, blank });
    report(`${day}: ${blank === null ? 'no lines any more' : `${lines} lines, of which ${blank} are blank`}`);
  }
  return { ...chain, days: checked };
}

// Every link is signed (a compact JWS) and names the SHA-256 of the file of the one before.
async function checkChain(read) {
  const load = async (file) => String((await read(file)) ?? require(false, file, 'there is no such file'));
  const keySet = await load('keys.json');
  // An id is the thumbprint of its key (RFC 7638).
  const published = Array.from(keySet.matchAll(/"x":"([\w-]+)"/g), ([, x]) => {
    const kid = sha256(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url');
    return { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid, x };
  });
  require(keySet === JSON.stringify({ keys: published }), 'keys.json', 'it is not written as keys are');
  const keys = published.map((key) => createPublicKey({ key, format: 'jwk' }));
  const open = (file, jws) => {
    const [header, payload = '', signature = ''] = jws.split('.');
    const signed = Buffer.from(`${header}.${payload}`);
    const isSigned = keys.some((key) => verify(null, signed, key, decode(signature)));
    require(isSigned && signature === decode(signature).toString('base64url'), file, 'it has no signature that fits');
    return JSON.parse(decode(payload));
  };
  const lastJws = await load('last.jws');
  const { first, link: last } = open('last.jws', lastJws);
  const days = [];
  const [parts, hashes, missing_days] = [new Map(), [], []];
  let newest = null;
  for (let number = first; number <= last; number++) {
    const file = `link-${String(number).padStart(6, '0')}.jws`;
    const jws = await load(file);
    const link = open(file, jws);
    // A chain that begins again after a loss names the last link that was lost.
    if (number === first && number > 1) hashes.push(link.previous);
    const follows = link.link === number && link.first === first && link.previous === (hashes.at(-1) ?? null);
    require(follows && (link.type === 'beginning') === (number === first), file, 'it does not follow the link before');
    if (link.type === 'day') {
      const missing = [];
      for (let day = newest && dayAfter(newest); day && day < link.day; day = dayAfter(day)) missing.push(day);
      const isNext = (newest ?? '') < link.day && link.newest_day === link.day;
      require(isNext && missing.join() === link.missing_days.join(), file, 'it does not name the days without a board');
      missing_days.push(...missing);
      days.push(link);
    }
    for (const { former_sha256, blanked = 0, ...part } of link.parts ?? []) {
      // None where the day's link was lost.
      const former = parts.get(part.file);
      require(!former || former.sha256 === former_sha256, file, `${part.file} was not what it says before`);
      parts.set(part.file, { ...former, ...part, blanked: blanked + (former?.blanked ?? 0) });
    }
    newest = link.newest_day;
    hashes.push(sha256(jws));
    require(number < last || jws === lastJws, 'last.jws', 'it is not the last link');
  }
  const kids = published.map(({ kid }) => kid);
  return { link: last, sha256: hashes.at(-1), hashes, keys: kids, missing_days, lost_links: first - 1, days, parts };
}

// Returns the lines of a day; null where they were deleted, as the link says.
async function readLines(read, { parts, columns, lines_until: until }, known, now) {
  const rows = [];
  for (const { file } of parts) {
    const { sha256: stated, lines, blanked } = known.get(file);
    const bytes = await read(file);
    require(bytes !== null || until <= now, file, 'there is no such file');
    if (bytes === null) return null;
    require(sha256(bytes) === stated, file, 'it is not what was signed');
    const text = gunzipSync(bytes, { maxOutputLength: MAX_PART_TEXT }).toString().trimEnd();
    const own = text.split('\n').map((line) => JSON.parse(line));
    const isLine = (row, at) => row.length === columns.length && row[0] === rows.length + at + 1;
    require(own.length === lines && own.every(isLine), file, 'its lines are not as many, or not as long, as stated');
    require(own.filter(isBlank).length === blanked, file, `the amendments say that ${blanked} lines are blank`);
    for (const row of own) rows.push(row);
  }
  return rows;
}

const isBlank = (row) => row.every((number, column) => column === 0 || number === null);

// Returns how many lines are blank. Their Yields are not known: a rank, a count or a place may exceed the recomputed one by their number.
function checkDay(day, rows, { lines, columns, windows, methodology }) {
  const blank = rows.filter(isBlank).length;
  const names = Object.keys(windows);
  require(rows.length === lines && columns.length === 1 + 2 * names.length, day, 'lines or windows are missing');
  for (const name of names) {
    const [yields, ranks] = ['yield', 'rank'].map((kind) => columns.indexOf(`${kind}_${name}`));
    const check = (what, stated, least, most = least + blank) =>
      require(stated >= least && stated <= most, `${day}, ${name}`, `${what} is ${stated}, and ${least} recomputed`);
    const isPair = (row) => (row[yields] === null ? row[ranks] === null : row[yields] >= 0 && row[ranks] >= 1);
    require(rows.every(isPair), `${day}, ${name}`, 'a line has a Yield or a rank alone');
    const order = rows.filter((row) => row[yields] !== null).sort((a, b) => b[yields] - a[yields] || a[0] - b[0]);
    const { ranked, tiers, quantiles } = windows[name];
    check('the number of ranked operators', ranked, order.length);
    // Equal Yields share a rank.
    let [rank, beyond] = [0, 0];
    order.forEach((row, index) => {
      const isTie = index > 0 && row[yields] === order[index - 1][yields];
      if (!isTie) rank = index + 1;
      check(`the rank of line ${row[0]}`, row[ranks], rank + beyond, isTie ? rank + beyond : rank + blank);
      beyond = row[ranks] - rank;
      if (name === 'all_time' && index > 0) check('the place of a line', row[0], order[index - 1][0] + 1, lines);
    });
    methodology.tiers.forEach((tier, index, { [index + 1]: next }) => {
      const within = order.filter((row) => row[yields] >= tier.from && !(row[yields] >= next?.from));
      check(`the tier ${tier.name}`, tiers[tier.name], within.length);
    });
    // The p-th percentile is the Yield at place ceil(ranked × (100 − p) / 100), to two digits.
    for (const [percent, stated] of Object.entries(quantiles)) {
      const index = Math.ceil((ranked * (100 - percent)) / 100) - 1;
      const at = (place, without) => Number((order[place]?.[yields] ?? without).toPrecision(2));
      check(`percentile ${percent}`, stated, at(index, 0), at(index - blank, Number.POSITIVE_INFINITY));
    }
  }
  return blank;
}

const report = (line) => process.stdout.write(`${line}\n`);

// Not when another program has it as a module.
if (basename(process.argv[1] ?? '') === 'recompute.mjs') {
  const { link, sha256: last } = await recompute(readIn(process.argv[2] ?? '.'), { report });
  report(`All is as stated, up to link ${link}: ${last}`);
}
