import { trusted } from '../../html.ts';
import type { Part } from '../render/parts.ts';

const FRACTION =
  '<mfrac><mrow><mtext>cache read&#160;</mtext><mo>×</mo><mtext>&#160;output</mtext></mrow><msup><mtext>input</mtext><mn>2</mn></msup></mfrac>';

/** The formula of Yield, as MathML or Markdown, with the Yield of an example. */
export function yieldFormula(result = ''): Part {
  const [shown, said] = result === '' ? ['', ''] : [`<mo>=</mo><mn>${result}</mn>`, `: ${result}`];
  return {
    html: () =>
      trusted(
        `<div class="formula" role="math" aria-label="Yield equals cache read times output, divided by input squared${said}"><math><mi>Υ</mi><mo>=</mo>${FRACTION}${shown}</math></div>`,
      ),
    markdown: () => `> **Υ (Yield) = cache_read × output / input²**${said}`,
  };
}
