// Checks a copy of an archive of Upsilon: node recompute.mjs FOLDER. Node 20 or newer; no packages.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const folder = process.argv[2];
const read = (file) => readFileSync(join(folder, file));
const readJson = (file) => JSON.parse(read(file));
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const linkFile = (number, type) => `links/${String(number).padStart(6, '0')}.${type}`;

function require(condition, message) {
  if (condition) return;
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

// The chain: every link is signed (a compact JWS whose payload is left out) and names the SHA-256 of the one before.
const { first, last, sha256: head } = readJson('index.json');
const keys = new Map(readJson('keys.json').keys.map((key) => [key.kid, createPublicKey({ key, format: 'jwk' })]));
const days = new Map();
let previous = null;
for (let number = first; number <= last; number++) {
  const bytes = read(linkFile(number, 'json'));
  const [header, , signature] = read(linkFile(number, 'jws')).toString().trim().split('.');
  const key = keys.get(JSON.parse(Buffer.from(header, 'base64url')).kid);
  const signed = Buffer.from(`${header}.${bytes.toString('base64url')}`);
  const isSigned = key !== undefined && verify(null, signed, key, Buffer.from(signature, 'base64url'));
  require(isSigned, `link ${number} is not signed by a key of the archive`);
  const link = JSON.parse(bytes);
  // A chain that begins again after a loss states so in a signed link, which names the last one that was lost.
  const begins = number === first && (number === 1 || link.type === 'upsilon_archive_gap');
  require(link.link === number && (begins || link.previous === previous), `link ${number} does not follow`);
  if (link.type === 'upsilon_archive_day') days.set(link.day, link);
  for (const change of link.changes ?? []) {
    const part = days.get(link.day).parts.find(({ file }) => file === change.file);
    require(part.sha256 === change.former_sha256, `link ${number} changes another ${change.file}`);
    Object.assign(part, { sha256: change.sha256, bytes: change.bytes });
  }
  previous = sha256(bytes);
}
require(previous === head, 'index.json does not name the last link');

// Percentage of ranked operators at or below a rank, with two decimals.
const percentile = (rank, ranked) => Math.round((10_000 * (ranked - rank + 1)) / ranked) / 100;

// A line: its number, then Yields and ranks in the order of `columns`. Null: not ranked there. A line of nulls was blanked.
for (const [day, { parts, lines, lines_until: until, columns, windows, methodology }] of days) {
  if (parts.some(({ file }) => !existsSync(join(folder, file)))) {
    require(until <= new Date().toISOString().slice(0, 10), `lines of ${day} are missing`);
    continue;
  }
  const rows = parts.flatMap(({ file, sha256: stated }) => {
    const bytes = read(file);
    require(sha256(bytes) === stated, `${file} is not what was signed`);
    return gunzipSync(bytes)
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  });
  require(rows.length === lines, `${day} has ${rows.length} lines, not ${lines}`);
  const blank = rows.filter(([, ...numbers]) => numbers.every((number) => number === null)).length;
  for (const [name, { ranked, quantiles, tiers }] of Object.entries(windows)) {
    const [yieldAt, rankAt] = [columns.indexOf(`yield_${name}`), columns.indexOf(`rank_${name}`)];
    const sorted = rows.filter((row) => row[yieldAt] !== null).sort((a, b) => b[yieldAt] - a[yieldAt]);
    require(ranked >= sorted.length && ranked <= sorted.length + blank, `${day} ${name}: another number is ranked`);
    // Equal Yields share a rank; the Yields of blank lines are not known, so a rank may exceed the one of the others by these.
    let rank = 0;
    sorted.forEach((row, index) => {
      if (index === 0 || row[yieldAt] !== sorted[index - 1][yieldAt]) rank = index + 1;
      const isRank = row[rankAt] >= rank && row[rankAt] <= rank + blank;
      require(isRank, `${day} ${name}: line ${row[0]} has rank ${row[rankAt]}, and ${rank} recomputed`);
    });
    for (const [index, { name: tier, from }] of methodology.tiers.entries()) {
      const end = methodology.tiers[index + 1]?.from ?? Infinity;
      const count = sorted.filter((row) => row[yieldAt] >= from && row[yieldAt] < end).length;
      require(tiers[tier] >= count && tiers[tier] <= count + blank, `${day} ${name}: ${count} are in tier ${tier}`);
    }
    // The lowest Yield whose percentile is at least this one, to two digits.
    for (const [percent, stated] of blank > 0 ? [] : Object.entries(quantiles)) {
      const found = sorted.findLast((row) => percentile(row[rankAt], ranked) >= Number(percent));
      require(Number(found[yieldAt].toPrecision(2)) === stated, `${day} ${name}: quantile ${percent} is not ${stated}`);
    }
  }
  process.stdout.write(`${day}: ${lines} lines, of which ${blank} are blank, are as stated\n`);
}
