import { readFileSync } from 'node:fs';
import { LINE_COLUMNS, PART_LINES } from '../../../engine/contract/archive.ts';
import { RULE_SETS } from '../../../engine/integrity/index.ts';
import { code, m } from '../render/inline.ts';
import { readable } from '../render/numbers.ts';
import { bullets, codeBlock, facts, heading, lede, prose, table } from '../render/parts.ts';
import type { Guide } from './guide.ts';

const RECOMPUTE = readFileSync(new URL('../../../engine/contract/recompute.mjs', import.meta.url), 'utf8');

/** The newest reference, for the biases by tool. */
const REFERENCE = [...RULE_SETS.values()].flatMap(({ reference }) => reference ?? []).slice(-1);

export const archive: Guide = {
  slug: 'archive',
  title: 'The archive, for researchers',
  about: 'Schema, licence, citation and known biases of the daily archive, and how to ask for corrections.',
  offered: ({ archive: settings }) => settings !== null,
  parts: ({ siteUrl, archive: settings, contact }) => [
    lede(
      m`The [archive](site:/archive) has the first board of each UTC day. Reading it needs no account and costs nothing.`,
    ),
    heading(2, 'Files'),
    facts([
      ['index.json', m`The first and the last link of the chain, and the SHA-256 of the last.`],
      ['keys.json', m`The public keys of the archive (RFC 7517). Former keys stay.`],
      [
        'links/000001.json',
        m`A link. That of a day states the methodology with its tiers and rule set, the hour and version of the board, the licence, counts by window and tier, quantiles of Yield to two digits, and the parts with their SHA-256. That of an amendment states which parts changed because lines were blanked.`,
      ],
      ['links/000001.jws', m`Its signature: a compact JWS (EdDSA) whose payload, the bytes of the link, is left out.`],
      ['2026-05-04/part-0001.ndjson.gz', m`Up to ${readable(PART_LINES)} lines, each a JSON array, compressed.`],
    ]),
    heading(2, 'Schema of a line'),
    prose(
      m`In this order: ${LINE_COLUMNS.map((column, index) => m`${index === 0 ? '' : ', '}${code(column)}`)}. Lines are in the order of all_time: by Yield, then by an order of equals that means nothing; operators that are ranked in other windows alone come last. A Yield and its rank are null where the operator is not ranked in the window, and all of them in a line that was blanked. Numbers are doubles, written so that they read back the same. A line number means nothing on another day.`,
      m`Files change when lines are blanked: compare their ETag before you use a copy, and do not publish former ones.`,
    ),
    heading(2, 'Recompute it'),
    codeBlock('sh', `upsilon recompute ${siteUrl}/archive --day 2026-05-04`, 'Recompute a day'),
    prose(
      m`It checks hashes and signatures, sorts every window again and compares ranks, percentiles and tiers. Blank lines count as operators of unknown Yield: a rank may exceed the recomputed one by at most their number, which the answer states. It does so by the program below, which also runs by itself over a copy.`,
    ),
    codeBlock('js', RECOMPUTE, 'The reference in plain JavaScript'),
    heading(2, 'Licence and citation'),
    prose(
      m`The data are under ${settings?.license ?? ''}. Cite the day and the SHA-256 of its link, by which others find the same bytes:`,
    ),
    codeBlock('text', `Upsilon leaderboard, archive of 2026-05-04, link sha256:…, ${siteUrl}/archive`, 'A citation'),
    prose(
      m`The files carry the site’s Content-Signal: they may be searched, read as input and referred to; they are not offered for training.`,
    ),
    heading(2, 'Known biases'),
    bullets(
      m`The operators are those who chose to submit, on machines where the tool reads logs. They are no sample of anybody else. Rows that are held or excluded, and hidden ones, have no line.`,
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
    heading(2, 'Corrections'),
    prose(
      m`A day is never written again: a wrong count is corrected on the board, and the archive shows it from the next day on. Operators correct their own counts with the tool, and erase their account, and with it their lines, at [their account](login:/account). If you find an error in the files or on this page, write to ${contact ?? 'the people who run this installation'}, with the day and the SHA-256 of the link.`,
    ),
  ],
};
