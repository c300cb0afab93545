import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ArchiveIndex, ArchiveLink, linkFile } from '../../../engine/contract/archive.ts';
import { DOCUMENT_CACHE } from '../../http/standard-headers.ts';
import { definePage } from '../page.ts';
import { m } from '../render/inline.ts';
import { readable } from '../render/numbers.ts';
import { bullets, codeBlock, heading, lede, prose, table } from '../render/parts.ts';
import type { SiteContext } from '../site-context.ts';

/** The newest links that the page lists. */
const SHOWN_LINKS = 62;

const ABOUT = 'The first board of every day as files, signed, without names: to cite, to copy and to recompute.';

/** The index of the daily archive. */
export const archivePage = definePage({
  surface: 'site',
  path: '/archive',
  operationId: 'getArchivePage',
  summary: 'The daily archive',
  listed: { title: 'Archive', about: ABOUT },
  inFull: true,
  offered: ({ archive }) => archive !== null,
  cache: DOCUMENT_CACHE,
  async content(_input, { config }) {
    const links = await newestLinks(config);
    const newest = links.at(-1);
    return {
      make: () => ({
        surface: 'site',
        canonical: 'site:/archive',
        title: 'Archive',
        description: ABOUT,
        parts: [
          lede(
            m`The first board of every UTC day, as files that anybody may copy under ${config.archive?.license ?? ''}. How to read and cite them: [for researchers](site:/developers/archive).`,
          ),
          codeBlock('sh', `upsilon recompute ${config.siteUrl}/archive`, 'Check the archive and recompute its ranks'),
          table({
            caption: 'The newest links of the archive',
            columns: [
              { label: 'Link', is: ['row'] },
              { label: 'Day' },
              { label: 'Lines', is: ['number'] },
              { label: 'Parts', is: ['number'] },
              { label: 'MB', is: ['number'] },
            ],
            rows: links
              .toReversed()
              .map((link) => [m`[${link.link}](site:/archive/${linkFile(link.link)})`, ...cellsOf(link)]),
          }),
          prose(
            newest === undefined
              ? m`No day is archived yet.`
              : m`The first link of the chain is [${linkFile(newest.first)}](site:/archive/${linkFile(newest.first)}), the last one [${linkFile(newest.link)}](site:/archive/${linkFile(newest.link)}). Lines are kept for ${config.archive?.days ?? 0} days, links for good.`,
          ),
          heading(2, 'This is not anonymous'),
          prose(
            m`There are no names and no pseudonyms in the files. Yields are exact all the same: if you saw a Yield beside a name on the board of that day, you can find its line. So the lines are treated as personal data. When an account is erased, its lines are blanked in all days within 30 days, and a signed amendment names each file that changed. The place of a blank line still shows between which Yields it stood. Copies that others made cannot be recalled.`,
          ),
          heading(2, 'What the chain proves'),
          bullets(
            m`Each link is signed by a key of this service and contains the SHA-256 of the link before. Who saved one link, or its SHA-256, can check later that nothing up to it was changed, but for the amendments that follow it.`,
            m`Days without a board are named as missing. If the files were lost, the chain begins again with a signed statement of what was lost.`,
            m`It does not prove that the counts are true, and it shows a day’s first board only: what was on the board for some hours in between is not in it. There is no other witness of the chain: until somebody saves a link, the service could write all of it again.`,
          ),
        ],
      }),
    };
  },
});

/** The newest links, oldest first, each with the first of its chain. */
async function newestLinks({ archive }: SiteContext['config']) {
  const read = async (file: string): Promise<unknown> =>
    JSON.parse(await readFile(join(archive?.dir ?? '', file), 'utf8'));
  const index = await read('index.json').then(
    (value) => ArchiveIndex.parse(value),
    () => null,
  );
  if (index === null) return [];
  const { first, last } = index;
  const from = Math.max(first, last - SHOWN_LINKS + 1);
  const numbers = Array.from({ length: last - from + 1 }, (_, at) => from + at);
  return Promise.all(numbers.map(async (number) => ({ first, ...ArchiveLink.parse(await read(linkFile(number))) })));
}

function cellsOf(link: ArchiveLink): readonly string[] {
  if (link.type === 'upsilon_archive_gap') return ['the chain begins again', '', '', ''];
  if (link.type === 'upsilon_archive_amendment') {
    const blanked = link.changes.reduce((sum, change) => sum + change.blanked, 0);
    return [`${link.day}, amended`, `${readable(blanked)} blanked`, readable(link.changes.length), ''];
  }
  const bytes = link.parts.reduce((sum, part) => sum + part.bytes, 0);
  return [link.day, readable(link.lines), readable(link.parts.length), (bytes / 1e6).toFixed(2)];
}
