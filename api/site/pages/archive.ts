import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArchiveLink, linkFile } from '../../../engine/contract/archive.ts';
import { DOCUMENT_CACHE } from '../../http/standard-headers.ts';
import { definePage } from '../page.ts';
import { m } from '../render/inline.ts';
import { readable } from '../render/numbers.ts';
import { bullets, codeBlock, heading, lede, prose } from '../render/parts.ts';

/** The newest links that the page lists. */
const SHOWN_LINKS = 31;

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
  async content(_input, { config: { archive, siteUrl } }) {
    const links = await newestLinks(archive?.dir ?? '');
    const parts = [
      lede(
        m`The first board of every UTC day, as files that anybody may copy under ${archive?.license ?? ''}. How to read and cite them: [for researchers](site:/developers/archive).`,
      ),
      codeBlock('sh', `upsilon recompute ${siteUrl}/archive`, 'Check the archive and recompute its ranks'),
      heading(2, 'The newest links'),
      bullets(
        ...links.map((link) => m`[${linkFile(link.link)}](site:/archive/${linkFile(link.link)}): ${textOf(link)}`),
        m`[index.json](site:/archive/index.json) names the first and the last link. Lines are kept for ${archive?.days ?? 0} days, links for good.`,
      ),
      heading(2, 'This is not anonymous'),
      prose(
        m`There are no names and no pseudonyms in the files. Yields are exact all the same: if you saw a Yield beside a name on the board of that day, you can find its line. So the lines are treated as personal data. When an account is erased, its lines are blanked in all days within 30 days, and a signed amendment names each file that changed. The place of a blank line still shows between which Yields it stood. Copies that others made cannot be recalled.`,
      ),
      heading(2, 'What the chain proves'),
      bullets(
        m`Each link is signed by a key of this service and contains the SHA-256 of the link before. If you save one link, or its SHA-256, you can check later that nothing up to it was changed, except by the amendments that follow it.`,
        m`Days without a board are named as missing. If the files were lost, the chain begins again with a signed statement of what was lost.`,
        m`It does not prove that the counts are true, and it shows a day’s first board only: what was on the board for some hours in between is not in it. There is no other witness of the chain: until somebody saves a link, the service could write all of it again.`,
      ),
    ];
    return {
      make: () => ({ surface: 'site', canonical: 'site:/archive', title: 'Archive', description: ABOUT, parts }),
    };
  },
});

/** Newest first; none before the first day. */
async function newestLinks(dir: string): Promise<ArchiveLink[]> {
  const read = async (file: string) => JSON.parse(await readFile(join(dir, file), 'utf8'));
  const { first, last }: { first: number; last: number } = await read('index.json').catch(() => ({
    first: 1,
    last: 0,
  }));
  return Promise.all(
    Array.from({ length: Math.min(SHOWN_LINKS, last - first + 1) }, (_, at) => read(linkFile(last - at))),
  );
}

function textOf(link: ArchiveLink): string {
  if (link.type === 'upsilon_archive_gap')
    return `links ${link.lost_links.join(' to ')} were lost, the chain begins again`;
  if (link.type === 'upsilon_archive_day')
    return `${link.day}, ${readable(link.lines)} lines in ${link.parts.length} files`;
  return `${link.day} amended, ${link.parts.reduce((sum, { blanked }) => sum + blanked, 0)} lines blanked`;
}
