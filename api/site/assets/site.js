// Times are written in UTC; here they are shown in the reader's own time. It does without Intl,
// whose first use holds up a phone for a tenth of a second.
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (number) => String(number).padStart(2, '0');
const showTimes = (within) => {
  for (const element of within.querySelectorAll('time[datetime]')) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const ahead = -at.getTimezoneOffset();
    const hours = Math.trunc(Math.abs(ahead) / 60);
    const minutes = Math.abs(ahead) % 60;
    const zone = ahead === 0 ? 'UTC' : `UTC${ahead > 0 ? '+' : '-'}${hours}${minutes === 0 ? '' : `:${two(minutes)}`}`;
    element.title = element.textContent ?? '';
    element.textContent = `${at.getDate()} ${MONTHS[at.getMonth()]} ${at.getFullYear()}, ${two(at.getHours())}:${two(at.getMinutes())} ${zone}`;
  }
};
showTimes(document);

// Codenames are offered while one is typed; without this script the form finds their beginnings, too.
for (const input of document.querySelectorAll('form[role="search"] input')) {
  const list = document.createElement('datalist');
  list.id = 'codenames';
  input.after(list);
  input.setAttribute('list', list.id);
  let asked = 0;
  const offer = async () => {
    const prefix = input.value.trim();
    asked += 1;
    const number = asked;
    const address = new URL('operators.json', input.form.action);
    address.searchParams.set('prefix', prefix);
    const response = prefix === '' ? null : await fetch(address).catch(() => null);
    if (response?.ok !== true || number !== asked) return;
    const { codenames } = await response.json();
    list.replaceChildren(...codenames.map((codename) => new Option(codename, codename)));
  };
  input.addEventListener('input', ({ inputType }) => {
    // What is chosen from the list comes at once, without keys.
    if (inputType === undefined || inputType === 'insertReplacementText') input.form.requestSubmit();
    else void offer();
  });
}

// What is meant to be copied gets a button; without this script it is selected by hand.
for (const block of document.querySelectorAll('.block:not(.http)')) {
  const lines = block.querySelector('pre');
  const button = document.createElement('button');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(lines.textContent);
      button.textContent = 'Copied';
    } catch {
      // Where there is no clipboard, as over plain http, the keys copy what is selected.
      getSelection()?.selectAllChildren(lines);
      button.textContent = 'Selected: copy it by the keys';
    }
    button.removeAttribute('aria-label');
  };
  button.type = 'button';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', `Copy: ${lines.getAttribute('aria-label')}`);
  button.addEventListener('click', () => void copy());
  block.append(button);
}

const hasFocus = (one) => one.contains(document.activeElement);
// Makes an element equal to another one. Rows are kept by id, forms as they are, and what has the focus is not even moved.
const morph = (mine, theirs) => {
  if (mine.isEqualNode(theirs) || mine.nodeName === 'FORM') return;
  for (const { name, value } of theirs.attributes) mine.setAttribute(name, value);
  const former = [...mine.childNodes];
  const rest = [...former];
  const wanted = [...theirs.childNodes].map((node) => {
    const isSame = (one) => ['nodeName', 'id', 'className'].every((name) => one[name] === node[name]);
    const at = rest.findIndex(isSame);
    if (at < 0) return node;
    const [kept] = rest.splice(at, 1);
    if (kept.nodeType === Node.ELEMENT_NODE) morph(kept, node);
    else kept.data = node.data;
    return kept;
  });
  const lost = former.indexOf(rest.find(hasFocus));
  for (const gone of rest) gone.remove();
  const focused = wanted.findIndex(hasFocus);
  let next = mine.firstChild;
  for (const [at, one] of wanted.entries()) {
    if (at === focused || one === next) next = one.nextSibling;
    else mine.insertBefore(one, next);
  }
  // What had the focus left: the row at its place gets it.
  const links = [...mine.children].map((one) => one.querySelector('a'));
  if (lost >= 0) (links.slice(lost).find(Boolean) ?? links.findLast(Boolean))?.focus({ preventScroll: true });
};

// The open board follows its events. When they name another version the page is read again: rows are drawn in one way.
const READ_EVERY_MS = 10_000;
// A page that gets no events is read again after this long, and asks for them again.
const WITHOUT_EVENTS_MS = 60_000;
// Pages that get the same frame do not all ask at once.
const spread = () => Math.random() * 2_000;
const board = document.querySelector('main[data-events]');
let events = null;
let newest = null;
let timer = 0;
let readAt = -READ_EVERY_MS;

// Who is signed in here sees the own row, at the top where the page has it not. Only a browser that opened an account page asks,
// and only where the account is on this host.
const SIGNED_IN = 'upsilon-account';
const account = document.querySelector('header.site a[href$="/account"]');
const isHere = account?.origin === location.origin;
if (isHere && document.querySelector('form[action$="/sign-out"]') !== null) localStorage.setItem(SIGNED_IN, 'yes');
let own = null;
const readSession = async () => {
  const session = await fetch(account.href.replace(/account$/, 'api/auth/session')).catch(() => null);
  const operator = session?.ok === true ? (await session.json()).operator : undefined;
  if (operator === null) localStorage.removeItem(SIGNED_IN);
  return operator ?? null;
};
const readOwn = async () => {
  const operator = await readSession();
  if (operator === null) return;
  const place = new URL(location);
  place.search = new URLSearchParams({
    around: operator.codename,
    window: place.searchParams.get('window') ?? 'all_time',
  });
  const page = await fetch(place, { headers: { accept: 'text/html' } }).then((answer) => answer.text());
  own = new DOMParser().parseFromString(page, 'text/html').getElementById(`row-${operator.codename}`);
};
// Others read of who is hidden, or taken off the boards, what they read of an unknown codename.
const explainOwn = async (codename) => {
  if ((await readSession())?.codename !== codename) return;
  const note = document.createElement('p');
  const link = document.createElement('a');
  link.href = `${account.href}#standing`;
  link.textContent = 'Your account says why';
  note.className = 'note';
  note.append('This is you, and only you know: others do not see you. ', link, '.');
  document.querySelector('.lede')?.replaceWith(note);
};
const isKnown = isHere && localStorage.getItem(SIGNED_IN) !== null;
const unknown = /\/operators\/([^/]+)$/.exec(location.pathname)?.[1];
if (isKnown && unknown !== undefined && document.querySelector('.above')?.textContent === 'Error 404') {
  void explainOwn(unknown.toLowerCase());
}
const markOwn = (page) => {
  if (own === null) return;
  const rows = page.querySelector('table.board tbody');
  if (page.getElementById(own.id) === null) rows?.prepend(own.cloneNode(true));
  page.getElementById(own.id)?.classList.add('current');
};

const topOf = (row) => row.getBoundingClientRect().top;
const show = (page) => {
  const read = page.querySelector('main[data-events]');
  if (read === null) return;
  const isSame = (part) => page.querySelector(part).isEqualNode(document.querySelector(part));
  // A screen stays open for weeks: it loads the script and style of a new release.
  if (document.body.className === 'screen' && !['script[src]', 'link'].every(isSame)) location.reload();
  showTimes(read);
  markOwn(page);
  const rows = () => [...board.querySelectorAll('tr[id]')];
  const tops = new Map(rows().map((row) => [row.id, topOf(row)]));
  const place = { left: scrollX, top: scrollY, behavior: 'instant' };
  morph(board, read);
  scrollTo(place);
  if (!matchMedia('(prefers-reduced-motion: no-preference)').matches) return;
  for (const row of rows()) {
    const by = tops.get(row.id) - topOf(row);
    if (by) row.animate([{ transform: `translateY(${by}px)` }, { transform: 'none' }], 400);
  }
};

const read = async () => {
  readAt = performance.now();
  const page = await fetch(location, { cache: 'no-cache', headers: { accept: 'text/html' } }).catch(() => null);
  // What is not shown any more, such as a league that became private, does not stay on an open screen.
  if (page?.status === 404) return location.reload();
  const text = (await page?.text().catch(() => '')) ?? '';
  timer = 0;
  show(new DOMParser().parseFromString(text, 'text/html'));
  // A cache may have a former version.
  if (newest !== null && newest !== board.dataset.version) readSoon();
};
const readSoon = () => {
  timer ||= setTimeout(() => void read(), Math.max(0, readAt + READ_EVERY_MS - performance.now()) + spread());
};

const follow = () => {
  events?.close();
  events = null;
  newest = null;
  if (document.hidden) return;
  events = new EventSource(board.dataset.events);
  const onFrame = ({ lastEventId }) => {
    newest = lastEventId.split('-').pop();
    if (newest !== board.dataset.version) readSoon();
  };
  events.addEventListener('board', onFrame);
  events.addEventListener('change', onFrame);
  events.addEventListener('error', ({ target }) => {
    // Else the browser connects again.
    if (target.readyState !== EventSource.CLOSED) return;
    setTimeout(() => {
      if (target !== events) return;
      readSoon();
      follow();
    }, WITHOUT_EVENTS_MS + spread());
  });
};
if (board !== null) {
  const isMain = location.pathname === document.querySelector('a.brand')?.pathname;
  if (isMain && isKnown) void readOwn().then(() => markOwn(document));
  follow();
  document.addEventListener('visibilitychange', follow);
}
