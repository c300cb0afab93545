import { createHash } from 'node:crypto';

/** The stylesheet of the sign-in pages, inlined into every page. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#1b1d1f;--soft:#5b5f62;--paper:#f7f5f0;--raised:#fffefb;--edge:#dcd7cb;--rim:#8a8577;--accent:#075f74;--ember:#a8430b;--on-accent:#fffefb;--bad:#a40e26}
@media (prefers-color-scheme:dark){:root{--ink:#ece8df;--soft:#a9aca9;--paper:#12161a;--raised:#191f24;--edge:#2c343a;--rim:#6f7a80;--accent:#79c9dc;--ember:#f2a668;--on-accent:#12161a;--bad:#ff9a9a}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;overflow-wrap:break-word}
header,h1,h2{font-family:"Iowan Old Style","Palatino Nova",Palatino,"URW Palladio L","Book Antiqua",Georgia,serif;font-weight:500}
header{border-bottom:1px solid var(--edge);padding:.75rem 1.25rem;font-size:1.25rem}
header,header a{display:flex;gap:.5rem;align-items:center;justify-content:center;color:var(--ink);text-decoration:none}
header svg{fill:none;stroke:var(--accent);stroke-width:2.25;stroke-linecap:round}
header path+path{stroke:var(--ember)}
main{max-width:28rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{font-size:2rem;line-height:1.2;letter-spacing:-.01em;margin:0 0 .75rem}
h2{font-size:1.3rem;line-height:1.25;margin:2.25rem 0 .5rem}
p{margin:.5rem 0 1rem}
.soft{color:var(--soft)}
.bad{color:var(--bad);font-weight:600}
a{color:var(--accent)}
form{margin:0 0 .75rem}
label{display:block;font-weight:600;margin-bottom:.35rem}
input[type=email],input[type=text]{width:100%;padding:.7rem .8rem;font:inherit;color:inherit;background:var(--raised);border:1px solid var(--rim);border-radius:3px;margin-bottom:.75rem}
button{width:100%;min-height:2.9rem;padding:.65rem 1rem;font:inherit;font-weight:600;border-radius:3px;border:1px solid var(--rim);background:transparent;color:inherit;cursor:pointer}
button:hover{border-color:var(--accent)}
button.main{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
button.small{width:auto;min-height:2.2rem;padding:.3rem .8rem}
:focus-visible{outline:3px solid var(--ember);outline-offset:2px}
hr{border:0;border-top:1px solid var(--edge);margin:1.5rem 0}
ul{padding-left:1.2rem}
ul.rows{list-style:none;padding:0}
ul.rows li{display:flex;gap:1rem;align-items:center;justify-content:space-between;padding:.6rem 0;border-bottom:1px solid var(--edge)}
ul.rows form{margin:0}
code{font:1.05em ui-monospace,monospace;overflow-wrap:anywhere}
.code{font:600 1.6rem ui-monospace,monospace;letter-spacing:.12em}
`;

/** The stylesheet's source expression in a Content-Security-Policy. */
export const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;
