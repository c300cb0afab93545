import { type Html, trusted } from '../../html.ts';
import { STYLESHEET } from '../assets/site-assets.ts';

export const THEMES = ['light', 'dark', 'auto'] as const;
export type Theme = (typeof THEMES)[number];

/** The stylesheet's colours by name, light and dark. */
const [LIGHT = [], DARK = []] = Array.from(
  STYLESHEET.body.identity.toString('utf8').matchAll(/:root \{([^}]*)\}/g),
  ([, block = '']) => Array.from(block.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g), ([, name, colour]) => [name, colour]),
);

/** The `style` element of a drawing, which fills by the classes `f-COLOUR` and strokes by `s-COLOUR`. `auto`: as the viewer prefers. */
export function themeStyle(theme: Theme, drawing: Html): Html {
  const used = new Set(String(drawing).match(/\b[fs]-[a-z-]+/g));
  const rules = (colours: typeof LIGHT): string =>
    (['fill', 'stroke'] as const)
      .flatMap((what) => colours.map(([name, colour]) => [`${what[0]}-${name}`, `${what}:${colour}`] as const))
      .flatMap(([name, declared]) => (used.has(name) ? `.${name}{${declared}}` : []))
      .join('');
  const preferred = theme === 'auto' ? `@media(prefers-color-scheme:dark){${rules(DARK)}}` : '';
  return trusted(`<style>${rules(theme === 'dark' ? DARK : LIGHT)}${preferred}</style>`);
}
