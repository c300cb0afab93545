import { type Html, trusted } from '../../html.ts';
import { STYLESHEET } from '../assets/site-assets.ts';

export const THEMES = ['light', 'dark', 'auto'] as const;
export type Theme = (typeof THEMES)[number];

/** The stylesheet's colours by name: those of the light theme, and of the dark one. */
const [LIGHT = [], DARK = []] = Array.from(
  STYLESHEET.body.identity.toString('utf8').matchAll(/:root \{([^}]*)\}/g),
  ([, block = '']) => Array.from(block.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g), ([, name, colour]) => [name, colour]),
);

/**
 * The `style` element of a picture: of each colour that it uses, the class `f-NAME` fills and `s-NAME` strokes. With `auto` the viewer's
 * preference decides.
 */
export function themeStyle(theme: Theme, picture: Html): Html {
  const used = new Set(String(picture).match(/[fs]-[a-z-]+/g));
  const rules = (colours: typeof LIGHT): string =>
    colours
      .flatMap(([name, colour]) => [
        used.has(`f-${name}`) ? `.f-${name}{fill:${colour}}` : '',
        used.has(`s-${name}`) ? `.s-${name}{stroke:${colour}}` : '',
      ])
      .join('');
  const preferred = theme === 'auto' ? `@media(prefers-color-scheme:dark){${rules(DARK)}}` : '';
  return trusted(`<style>${rules(theme === 'dark' ? DARK : LIGHT)}${preferred}</style>`);
}
