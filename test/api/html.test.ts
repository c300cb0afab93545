import { expect } from 'chai';
import { html, NOTHING, trusted } from '../../api/html.ts';

const HOSTILE = `<img src=x onerror=alert(1)> "'&`;
const ESCAPED = '&lt;img src=x onerror=alert(1)&gt; &quot;&#39;&amp;';

describe('html', () => {
  it('escapes texts, in elements and in quoted attributes', () => {
    expect(String(html`<a title="${HOSTILE}">${HOSTILE}</a>`)).to.equal(`<a title="${ESCAPED}">${ESCAPED}</a>`);
  });

  it('escapes the texts of lists, nested ones too, and no markup twice', () => {
    const items = [HOSTILE, html`<b>${HOSTILE}</b>`, [1, [HOSTILE]]];
    expect(String(html`<p>${items}</p>`)).to.equal(`<p>${ESCAPED}<b>${ESCAPED}</b>1${ESCAPED}</p>`);
  });

  it('omits what is absent', () => {
    expect(String(html`<p>${null}${undefined}${NOTHING}${[]}</p>`)).to.equal('<p></p>');
  });

  it('leaves trusted markup as it is', () => {
    expect(String(html`<p>${trusted('<i>&amp;</i>')}</p>`)).to.equal('<p><i>&amp;</i></p>');
  });
});
