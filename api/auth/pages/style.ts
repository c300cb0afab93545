import { createHash } from 'node:crypto';

/** The one stylesheet of the pages of sign-in. It is part of every page, so that a page needs nothing else. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#59636e;--paper:#fff;--edge:#d0d7de;--accent:#0b57a4;--on-accent:#fff;--bad:#a40e26}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa5b1;--paper:#0d1117;--edge:#3b434c;--accent:#7ab7ff;--on-accent:#08131f;--bad:#ff9a9a}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.55 system-ui,sans-serif}
main{max-width:28rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
header{font-weight:650;letter-spacing:.02em;margin-bottom:2rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .75rem}
h2{font-size:1.1rem;margin:2rem 0 .5rem}
p{margin:.5rem 0 1rem}
.soft{color:var(--soft)}
.bad{color:var(--bad);font-weight:600}
a{color:var(--accent)}
form{margin:0 0 .75rem}
label{display:block;font-weight:600;margin-bottom:.35rem}
input[type=email],input[type=text]{width:100%;padding:.7rem .8rem;font:inherit;color:inherit;background:transparent;border:1px solid var(--soft);border-radius:.4rem;margin-bottom:.75rem}
button{width:100%;min-height:2.9rem;padding:.65rem 1rem;font:inherit;font-weight:600;border-radius:.4rem;border:1px solid var(--soft);background:transparent;color:inherit;cursor:pointer}
button.main{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
button.small{width:auto;min-height:2.2rem;padding:.3rem .8rem}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
hr{border:0;border-top:1px solid var(--edge);margin:1.5rem 0}
ul{padding-left:1.2rem}
ul.rows{list-style:none;padding:0}
ul.rows li{display:flex;gap:1rem;align-items:center;justify-content:space-between;padding:.6rem 0;border-bottom:1px solid var(--edge)}
ul.rows form{margin:0}
code{font:1.05em ui-monospace,monospace;overflow-wrap:anywhere}
.code{font:600 1.6rem ui-monospace,monospace;letter-spacing:.12em}
`;

/** The stylesheet's name in a Content-Security-Policy. */
export const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;
