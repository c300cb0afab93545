/** A received page, after redirects. */
export interface VisitedPage {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A form of a page. */
interface PageForm {
  readonly action: string;
  readonly fields: URLSearchParams;
}

const MAX_REDIRECTS = 12;

/**
 * A browser without scripts: keeps cookies by host, follows redirects, and sends the forms of pages. Addresses that begin
 * with one of `stops` are not visited: the visit ends there.
 */
export class FormBrowser {
  readonly stops: string[] = [];
  /** Sent with every request. */
  readonly headers: Record<string, string> = {};
  readonly #cookies = new Map<string, Map<string, string>>();

  async get(url: string): Promise<VisitedPage> {
    return this.#follow(url, { method: 'GET' });
  }

  /** Submits the form of a page whose action has this suffix, with some fields filled in. */
  async submit(page: VisitedPage, action: string, filled: Record<string, string> = {}): Promise<VisitedPage> {
    const wanted = formsOf(page).find(
      (form) =>
        form.action.endsWith(action) && Object.entries(filled).every(([name, value]) => fits(form, name, value)),
    );
    if (wanted === undefined)
      throw new Error(`no form to ${action} in ${page.url} (${page.status}): ${page.text.slice(-900)}`);
    for (const [name, value] of Object.entries(filled)) wanted.fields.set(name, value);
    return this.post(new URL(wanted.action, page.url).href, wanted.fields);
  }

  async post(url: string, fields: URLSearchParams, headers: Record<string, string> = {}): Promise<VisitedPage> {
    const origin = new URL(url).origin;
    return this.#follow(url, { method: 'POST', body: fields, headers: { origin, ...headers } });
  }

  cookie(url: string, name: string): string | undefined {
    return this.#cookies.get(new URL(url).host)?.get(name);
  }

  setCookie(url: string, name: string, value: string): void {
    this.#jar(url).set(name, value);
  }

  #jar(url: string): Map<string, string> {
    const { host } = new URL(url);
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, jar);
    return jar;
  }

  async #follow(start: string, first: RequestInit): Promise<VisitedPage> {
    let url = start;
    let init = first;
    for (let hops = 0; hops < MAX_REDIRECTS; hops += 1) {
      if (this.stops.some((stop) => url.startsWith(stop))) return { url, status: 0, headers: new Headers(), text: '' };
      const jar = this.#jar(url);
      const cookie = Array.from(jar, ([name, value]) => `${name}=${value}`).join('; ');
      const headers = {
        accept: 'text/html',
        ...this.headers,
        ...Object.fromEntries(new Headers(init.headers)),
        ...(cookie === '' ? {} : { cookie }),
      };
      const response = await fetch(url, { ...init, headers, redirect: 'manual' });
      for (const line of response.headers.getSetCookie()) keep(jar, line);
      const text = await response.text();
      const location = response.headers.get('location');
      if (location === null) return { url, status: response.status, headers: response.headers, text };
      url = new URL(location, url).href;
      init = { method: 'GET' };
    }
    throw new Error(`more than ${MAX_REDIRECTS} redirects from ${start}, last to ${url}`);
  }
}

function fits({ fields }: PageForm, name: string, value: string): boolean {
  return fields.has(name) && (fields.get(name) === '' || fields.get(name) === value);
}

function keep(jar: Map<string, string>, line: string): void {
  const [pair = ''] = line.split(';', 1);
  const at = pair.indexOf('=');
  const value = pair.slice(at + 1);
  if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(pair.slice(0, at));
  else jar.set(pair.slice(0, at), value);
}

function formsOf({ text }: VisitedPage): PageForm[] {
  return Array.from(text.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/g), ([, attributes = '', content = '']) => {
    const fields = new URLSearchParams();
    for (const [input] of content.matchAll(/<(?:input|textarea|select|button)[^>]*>/g)) {
      const name = attribute(input, 'name');
      // The value of a button or a checkbox is sent only when it is filled in.
      const isGiven = input.startsWith('<input') && !input.includes('type="checkbox"');
      const value = isGiven ? attribute(input, 'value') : null;
      if (name !== null) fields.set(name, value ?? '');
    }
    return { action: attribute(attributes, 'action') ?? '', fields };
  });
}

function attribute(tag: string, name: string): string | null {
  const found = new RegExp(`\\b${name}="([^"]*)"`).exec(tag);
  return found === null ? null : unescape(found[1] ?? '');
}

function unescape(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
