import { trusted } from '../../html.ts';
import type { Part } from '../render/parts.ts';

const FRACTION =
  '<mfrac><mrow><mtext>cache read</mtext><mo>×</mo><mtext>output</mtext></mrow><msup><mtext>input</mtext><mn>2</mn></msup></mfrac>';

/** The formula of Yield, as MathML or Markdown. */
export function yieldFormula(): Part {
  return {
    html: () =>
      trusted(
        `<div class="formula" role="math" aria-label="Yield equals cache read times output, divided by input squared"><math><mi>Υ</mi><mo>=</mo>${FRACTION}</math></div>`,
      ),
    markdown: () => '> **Υ (Yield) = cache_read × output / input²**',
  };
}
