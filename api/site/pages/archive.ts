import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readableDay } from '../../../config/units.ts';
import {
  type ArchiveLink,
  LAST_FILE,
  LINE_COLUMNS,
  linkFile,
  linkOf,
  PART_LINES,
} from '../../../engine/contract/archive.ts';
import { RULE_SETS } from '../../../engine/integrity/index.ts';
import { DOCUMENT_CACHE } from '../../http/standard-headers.ts';
import { definePage } from '../page.ts';
import { code, m } from '../render/inline.ts';
import { readable } from '../render/numbers.ts';
import { bullets, codeBlock, facts, heading, lede, type Part, prose, table } from '../render/parts.ts';

const RECOMPUTE = readFileSync(new URL('../../../engine/contract/recompute.mjs', import.meta.url), 'utf8');

/** The newest reference, for the biases by tool. */
const REFERENCE = [...RULE_SETS.values()].flatMap(({ reference }) => reference ?? []).slice(-1);

/** The newest links that the page lists. */
const SHOWN_LINKS = 31;

export const ARCHIVE_ABOUT =
  'The first board of every day as files, signed, without names: to cite, to copy and to recompute.';

/** The index of the daily archive, and all that researchers need. */
export const archivePage = definePage({
  surface: 'site',
  path: '/archive',
  operationId: 'getArchivePage',
  summary: 'The daily archive',
  listed: { title: 'Archive', about: ARCHIVE_ABOUT },
  inFull: true,
  offered: ({ archive }) => archive !== null,
  cache: DOCUMENT_CACHE,
  async content(_input, { config: { archive, siteUrl, contact } }) {
    const links = await newestLinks(archive?.dir ?? '');
    const parts = [
      lede(
        m`The first board of every UTC day, as files that anybody may copy under ${archive?.license ?? ''}. Reading them needs no account and costs nothing.`,
      ),
      codeBlock('sh', `upsilon recompute ${siteUrl}/archive`, 'Check the archive and recompute its ranks'),
      heading(2, 'The newest links'),
      bullets(
        ...links.map((link) => m`[${linkFile(link.link)}](site:/archive/${linkFile(link.link)}): ${textOf(link)}`),
        m`Lines are kept for ${archive?.days ?? 0} days, links for good.`,
      ),
      heading(2, 'This is not anonymous'),
      prose(
        m`There are no names and no pseudonyms in the files. Yields are exact all the same: if you saw a Yield beside a name on the board of that day, you can find its line. So the lines are treated as personal data. When an account is erased, its lines are blanked in all days within 30 days, and a signed amendment names each file that changed: compare its ETag before you use a copy, and do not publish former ones. The place of a blank line still shows between which Yields it stood. Copies that others made cannot be recalled.`,
      ),
      heading(2, 'Files'),
      facts([
        ['keys.json', m`The public keys of the archive (RFC 7517). Former keys stay.`],
        [
          linkFile(1),
          m`A link: a compact JWS (EdDSA), whose payload is JSON. That of a day states the methodology with its tiers and rule set, the hour and version of the board, the licence, counts by window and tier, quantiles of Yield to two digits, and the parts with their SHA-256. That of an amendment states which parts changed because lines were blanked.`,
        ],
        [LAST_FILE, m`[The last link](site:/archive/${LAST_FILE}) once more.`],
        ['2026-05-04-part-0001.ndjson.gz', m`Up to ${readable(PART_LINES)} lines, each a JSON array, compressed.`],
      ]),
      heading(2, 'Schema of a line'),
      prose(
        m`In this order: ${LINE_COLUMNS.map((column, index) => m`${index === 0 ? '' : ', '}${code(column)}`)}. Lines are in the order of all_time: by Yield, then by an order of equals that means nothing; operators that are ranked in other windows alone come last. A Yield and its rank are null where the operator is not ranked in the window, and all of them in a line that was blanked. Numbers are doubles, written so that they read back the same. A line number means nothing on another day.`,
      ),
      heading(2, 'Recompute it'),
      prose(
        m`\`upsilon recompute\` checks hashes and signatures, sorts every window again and compares ranks, percentiles and tiers. Blank lines count as operators of unknown Yield: a rank may exceed the recomputed one by at most their number, which the answer states. It does so by this program, which also runs by itself over a copy:`,
      ),
      codeBlock('js', RECOMPUTE, 'The reference in plain JavaScript'),
      heading(2, 'What the chain proves'),
      bullets(
        m`Each link is signed by a key of this service and contains the SHA-256 of the file of the link before. If you save one link, or its SHA-256, you can check later (\`--link\`) that nothing up to it was changed, except by the amendments that follow it.`,
        m`Days without a board are named as missing. If the files were lost, the chain begins again with a signed statement of what was lost.`,
        m`It does not prove that the counts are true, and it shows a day’s first board only: what was on the board for some hours in between is not in it. There is no other witness of the chain: until somebody saves a link, the service could write all of it again.`,
      ),
      heading(2, 'Licence and citation'),
      prose(
        m`The data are under ${archive?.license ?? ''}. The files carry the site’s Content-Signal: they may be searched, read as input and referred to; they are not offered for training. Cite the day and the SHA-256 of the file of its link, by which others find the same bytes:`,
      ),
      codeBlock('text', `Upsilon leaderboard, archive of 2026-05-04, link sha256:…, ${siteUrl}/archive`, 'A citation'),
      ...biasParts(),
      heading(2, 'Corrections'),
      prose(
        m`A day is never written again: a wrong count is corrected on the board, and the archive shows it from the next day on. Operators correct their own counts with the tool, and erase their account, and with it their lines, at [their account](login:/account). If you find an error in the files or on this page, write to ${contact ?? 'the people who run this installation'}, with the day and the SHA-256 of the link.`,
      ),
    ];
    return {
      make: () => ({
        surface: 'site',
        canonical: 'site:/archive',
        title: 'Archive',
        description: ARCHIVE_ABOUT,
        width: 'tables',
        parts,
      }),
    };
  },
});

function biasParts(): Part[] {
  return [
    heading(2, 'Known biases'),
    bullets(
      m`The operators are those who chose to submit, on machines where the tool reads logs. They do not stand for other people. Rows that are held or excluded, and hidden ones, have no line.`,
      m`Counts are what operators signed. The service sees when they arrive, and not whether they are true.`,
      m`The Yield divides by the square of the input, so tools that log little input lead by orders of magnitude. What a tool calls input, and whether it reports cache reads, decides more than how somebody works: see the table. A comparison across tools compares their logs; the lines do not name the tool.`,
      m`A window counts what was first reported in it whole, and imported history fills all windows at once.`,
    ),
    ...REFERENCE.map(({ all, platforms }) =>
      table({
        caption: 'Quantiles of Yield by tool, as rows are judged by them',
        columns: [
          { label: 'Tool', is: ['row'] },
          ...['75th', '90th', '99th'].map((label) => ({ label, is: ['number'] as const })),
        ],
        rows: [['all tools', all] as const, ...Object.entries(platforms)].map(([tool, { p75, p90, p99 }]) => [
          tool,
          ...[p75, p90, p99].map(readable),
        ]),
      }),
    ),
  ];
}

/** Newest first; none before the first day. */
async function newestLinks(dir: string): Promise<ArchiveLink[]> {
  const read = async (file: string) => linkOf(await readFile(join(dir, file), 'utf8'));
  const { link: last, first } = await read(LAST_FILE).catch(() => ({ link: 0, first: 1 }));
  const shown = Array.from({ length: Math.min(SHOWN_LINKS, last - first + 1) }, (_, at) => read(linkFile(last - at)));
  return (await Promise.allSettled(shown)).flatMap((link) => (link.status === 'fulfilled' ? link.value : []));
}

function textOf({ type, link, day, lines = 0, parts = [] }: ArchiveLink): string {
  const of = day === undefined ? '' : readableDay(Date.parse(day));
  if (type === 'day') return `${of}, ${readable(lines)} lines in ${parts.length} files`;
  if (type === 'amendment') return `${of} amended, lines blanked in ${parts.length} files`;
  return link === 1 ? 'the chain begins' : 'the links before were lost, the chain begins again';
}
