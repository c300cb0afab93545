import { expect } from 'chai';
import { fittingTable } from '../../../cli/src/output/fitting-table.ts';
import { openScreen, wrap } from '../../../cli/src/output/screen.ts';
import { cutText, textWidth } from '../../../cli/src/output/text-width.ts';

const { paint } = openScreen({ json: false, color: false });

/** A table of projects at a width. */
function tableOf(width: number | null): readonly string[] {
  const columns = [
    { title: 'Project', cells: ['/srv/项目', '/srv/atlas'], cut: { atLeast: 4, keep: 'end' } },
    { title: 'Input', align: 'right', cells: ['1', '22'] },
  ] as const;
  return fittingTable(columns, width, paint).split('\n');
}

describe('the width of a text on a terminal', () => {
  it('counts columns: wide characters two, marks and joiners none', () => {
    const widths = {
      '': 0,
      abc: 3,
      '…': 1,
      é: 1,
      'e\u0301': 1,
      李雷: 4,
      한국: 4,
      ｱ: 1,
      Ａ: 2,
      '🚀': 2,
      'a\u200bb': 2,
      سلام: 4,
    };
    for (const [text, expected] of Object.entries(widths)) expect(textWidth(text), text).to.equal(expected);
  });

  it('is what a text is cut to, at whole characters', () => {
    expect(cutText('项目项目', 8)).to.equal('项目项目');
    expect(cutText('项目项目', 7)).to.equal('项目项…');
    expect(cutText('项目项目', 6)).to.equal('项目…');
    expect(cutText('项目项目', 6, 'end')).to.equal('…项目');
    expect(cutText('🚀🚀🚀', 4)).to.equal('🚀…');
    expect(cutText('abcdef', 4, 'end')).to.equal('…def');
  });

  it('lines up the columns of a table, and fits it', () => {
    expect(tableOf(null)).to.deep.equal(['Project     Input', '/srv/项目       1', '/srv/atlas     22']);
    expect(tableOf(13)).to.deep.equal(['Projec  Input', '…/项目      1', '…atlas     22']);
  });

  it('is what paragraphs are wrapped to', () => {
    expect(wrap('项目 项目 ab', 9)).to.equal('项目 项目\nab');
  });

  it('contains nothing that controls a terminal or turns the direction of reading', () => {
    const table = fittingTable([{ title: 'Model', cells: ['a\u001b[31mb\u202ec\u009b1md\ud800'] }], null, paint);
    expect(table).to.equal('Model\na [31mb c 1md');
  });
});
