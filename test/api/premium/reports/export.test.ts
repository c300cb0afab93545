import { expect } from 'chai';
import { csvLine } from '../../../../api/premium/reports/export.ts';

describe('premium: lines of CSV', () => {
  for (const [fields, line] of [
    [['a', 1, null, 0.5], 'a,1,,0.5'],
    [['a,b', 'say "so"', 'two\nlines'], '"a,b","say ""so""","two\nlines"'],
    [['=1+1', '+1', '-1', '@x', '\tx'], "'=1+1,'+1,'-1,'@x,'\tx"],
    [['=HYPERLINK("x,y")'], '"\'=HYPERLINK(""x,y"")"'],
    [['x;=cmd', 'a, +1', 'well-known'], '"x;\'=cmd","a,\' +1",well-known'],
    [[-1, 1e21], '-1,1e+21'],
    [[], ''],
  ] as const) {
    it(JSON.stringify(fields), () => expect(csvLine(fields)).to.equal(`${line}\r\n`));
  }
});
