import { writeFile } from 'node:fs/promises';
import { FAVICON } from '../../api/site/assets/site-assets.ts';
import { openChromium } from '../../test/browser/open-chromium.ts';

const ASSETS = new URL('../../api/site/assets/', import.meta.url);

/** The image of link previews, in the colours of the website. */
const PREVIEW = `<style>
body { margin: 0; background: #12161a; color: #ece8df; font: 500 38px/1.4 Georgia, "DejaVu Serif", serif }
main { box-sizing: border-box; width: 1200px; height: 630px; padding: 96px 90px; display: flex; flex-direction: column; justify-content: center; gap: 34px }
h1 { display: flex; gap: 28px; align-items: center; margin: 0; font-size: 112px; font-weight: 500; line-height: 1 }
svg { width: 130px; height: 130px }
p { margin: 0 } p + p { color: #79c9dc }
</style><main><h1>${FAVICON}Upsilon</h1><p>The public leaderboard of AI operators</p><p>Yield = cache read × output ÷ input²</p></main>`;

function icon(size: number): string {
  return `<style>body { margin: 0 } main, svg { display: block; width: ${size}px; height: ${size}px }</style><main>${FAVICON}</main>`;
}

/** An ICO file with one PNG of 32 × 32 pixels. */
function icoOf(png: Buffer): Buffer {
  const head = Buffer.from([0, 0, 1, 0, 1, 0, 32, 32, 0, 0, 1, 0, 32, 0, 0, 0, 0, 0, 22, 0, 0, 0]);
  head.writeUInt32LE(png.length, 14);
  return Buffer.concat([head, png]);
}

/** Writes the website's images that are not SVG. */
export async function writeSiteImages(): Promise<void> {
  const browser = await openChromium({ dark: false });
  try {
    const page = await browser.context.newPage();
    const draw = async (content: string): Promise<Buffer> => {
      await page.setContent(content);
      return page.locator('main').screenshot({ omitBackground: true });
    };
    await writeFile(new URL('preview.png', ASSETS), await draw(PREVIEW));
    await writeFile(new URL('apple-touch-icon.png', ASSETS), await draw(icon(180)));
    await writeFile(new URL('favicon.ico', ASSETS), icoOf(await draw(icon(32))));
  } finally {
    await browser.close();
  }
}
