import { readFile, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { operatorCard, readCard } from '../../../../api/site/cards/operator-card.ts';
import { processEnvironment } from '../../../../config/env.ts';
import { openJudgedField } from '../../../support/judged-field.ts';
import { HOSTILE, HOSTILE_NAME, openSiteFixture, RISING } from '../../../support/site-field.ts';
import { useFixture } from '../../../support/use-fixture.ts';

/** Set to write the cards as they are drawn now, to be looked at before they are committed. */
const updating = processEnvironment()['UPDATE_GOLDEN'] === '1';

const golden = (name: string): URL => new URL(`golden/${name}.svg`, import.meta.url);

async function expectGolden(name: string, svg: string): Promise<void> {
  if (updating) await writeFile(golden(name), `${svg}\n`);
  expect(`${svg}\n`).to.equal(await readFile(golden(name), 'utf8'));
}

/** The ends of each line of text that is not in the card. */
function textsBeyond(svg: string): string[] {
  const texts = [...svg.matchAll(/<text [^>]*?x="([\d.]+)"([^>]*) textLength="([\d.]+)"[^>]*>([^<]*)</g)];
  expect(texts.length).to.be.above(5);
  return texts.flatMap(([, x, more = '', length, words = '']) => {
    const share = more.includes('"end"') ? 1 : more.includes('"middle"') ? 0.5 : 0;
    const left = Number(x) - share * Number(length);
    return left >= 32 && left + Number(length) <= 566 ? [] : [words];
  });
}

describe('cards of operators', () => {
  const test = useFixture(() => openSiteFixture(3, 5));
  const judged = useFixture(openJudgedField);
  const textOf = async (path: string) => (await judged().get(path)).text;

  for (const theme of ['light', 'dark', 'auto']) {
    it(`of a ranked one are as drawn: ${theme}`, async () => {
      const { text } = await test().get(`/card/${RISING}.svg?theme=${theme}`);
      await expectGolden(`ranked-${theme}`, text);
    });
  }

  for (const [name, path] of [
    ['tool', `/card/${HOSTILE}.svg?theme=light&platform=claude-code&window=30d`],
    ['hostile', `/card/${HOSTILE}.svg?theme=light`],
    ['no-usage', '/card/no-tokens-yet.svg?theme=dark'],
  ] as const) {
    it(`are as drawn: ${name}`, async () => {
      await expectGolden(name, (await test().get(path)).text);
    });
  }

  for (const [name, path] of [
    ['provisional', '/card/plain-row.svg?theme=light'],
    ['held', '/card/held-row.svg?theme=light'],
    ['held-on-tool', '/card/held-row.svg?theme=dark&platform=codex'],
    ['below-floors', '/card/small-row.svg?theme=dark'],
  ] as const) {
    it(`are as drawn: ${name}`, async () => {
      await expectGolden(name, (await judged().get(path)).text);
    });
  }

  it('say provisional, or what a row lacks that has no rank', async () => {
    expect(await textOf('/card/plain-row.svg'))
      .to.include('>provisional<')
      .and.include('>#1<');
    for (const path of ['/card/held-row.svg', '/card/held-row.svg?platform=codex']) {
      const held = await textOf(path);
      expect(held)
        .to.include('>Not settled yet<')
        .and.match(/moderator/);
      expect(held).to.not.match(/>#\d|would be|provisional/);
    }
    expect(await textOf('/card/small-row.svg'))
      .to.include('>Not ranked<')
      .and.match(/needs [\d,]+ /);
  });

  it('are the static picture, without a name, of an excluded one', async () => {
    const still = Buffer.from(await (await fetch(`${judged().origin}/preview.png`)).arrayBuffer());
    for (const path of ['svg', 'png', 'svg?platform=codex', 'png?platform=codex']) {
      const response = await fetch(`${judged().origin}/card/absurd-row.${path.replace('?', '?theme=dark&')}`);
      expect([response.status, response.headers.get('content-type')], path).to.deep.equal([200, 'image/png']);
      expect(Buffer.from(await response.arrayBuffer()).equals(still), path).to.equal(true);
    }
  });

  it('escape names, and are only text and shapes', async () => {
    const { text, headers } = await test().get(`/card/${HOSTILE}.svg`);
    expect(HOSTILE_NAME).to.include('<img');
    expect(text)
      .to.include('&lt;img src=x onerror=alert(1)&gt;')
      .and.not.match(/<(?!\/?(?:svg|title|style|g|rect|path|circle|text)\b)/);
    expect(text).to.not.match(/<[^>]*(?:href|style=| on\w+=)/);
    expect(headers.get('content-security-policy')).to.equal(
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    );
  });

  it('leave out a display name with a glyph that the font lacks', async () => {
    const facts = await readCard(test().api.ctx, RISING, 'all_time');
    const drawn = (display_name: string): string => operatorCard({ ...facts, display_name }, [], 'light');
    for (const name of ['Żółć Dvořák', 'Дмитрий', 'Ελένη', 'Đặng Thị']) expect(drawn(name)).to.include(`>${name}<`);
    for (const name of ['山田', 'أمل', '👩‍💻 Ada', 'नमस्ते']) {
      expect(drawn(name)).to.not.include(name).and.not.include(name.slice(0, 1));
      expect(drawn(name)).to.include(`>${RISING}<`);
    }
  });

  it('keep every text within the card', async () => {
    const facts = await readCard(test().api.ctx, RISING, 'all_time');
    const long = { codename: 'w'.repeat(32), display_name: 'W'.repeat(64) };
    const large = { rank: 98_765_432, total: 987_654_321, yield_: 1.25e300, class_tier: 'REFINER' };
    for (const each of [long, large, { ...long, ...large }]) {
      expect(textsBeyond(operatorCard({ ...facts, ...each, provisional: true }, [], 'auto'))).to.deep.equal([]);
    }
    for (const name of ['held-row', 'small-row']) {
      const other = await readCard(judged().api.ctx, name, 'all_time');
      expect(textsBeyond(operatorCard({ ...other, ...long }, [], 'auto'))).to.deep.equal([]);
    }
  });
});
