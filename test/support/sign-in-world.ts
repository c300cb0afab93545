import { HOUR_MS } from '../../config/units.ts';
import { freePort } from '../../ops/local/free-port.ts';
import type { FormBrowser, VisitedPage } from './form-browser.ts';
import { type IdentityService, openIdentityService } from './identity-service.ts';
import { type MailServer, openMailServer } from './mail-server.ts';
import { UpstreamServer, withUpstreams } from './upstream-server.ts';

/** The service with a mail server and both upstreams, and what people do at its pages. */
export class SignInWorld {
  readonly service: IdentityService;
  readonly mail: MailServer;
  readonly upstream: UpstreamServer;

  private constructor(service: IdentityService, mail: MailServer, upstream: UpstreamServer) {
    this.service = service;
    this.mail = mail;
    this.upstream = upstream;
  }

  static async open(env: Readonly<Record<string, string>> = {}): Promise<SignInWorld> {
    const [mailPort, upstreamPort] = [await freePort(), await freePort()];
    const mail = await openMailServer(mailPort);
    const service = await openIdentityService({
      env: () => ({ SMTP_URL: `smtp://127.0.0.1:${mailPort}`, ...env }),
      change: withUpstreams(upstreamPort),
    });
    const upstream = await UpstreamServer.open(upstreamPort, `${service.origin}/auth/callback`);
    return new SignInWorld(service, mail, upstream);
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.upstream.close();
    await this.mail.close();
  }

  /** Advances the clock to the next hour: quotas last an hour at most. */
  nextHour(): void {
    this.service.ahead += HOUR_MS - ((Date.now() + this.service.ahead) % HOUR_MS);
  }

  at(path = '/login'): string {
    return `${this.service.origin}${path}`;
  }

  async sessionOf(browser: FormBrowser): Promise<Record<string, unknown>> {
    const body: Record<string, unknown> = JSON.parse((await browser.get(this.at('/api/auth/session'))).text);
    return body;
  }

  /** The number of the operator with this address. */
  async operatorOf(email: string): Promise<number> {
    return (await this.service.connection.collection('identities').findOne({ email }))?.['operator'];
  }

  async askForLink(browser: FormBrowser, email: string, start = this.at()): Promise<string> {
    const address = email.toLowerCase();
    const before = this.mail.count(address);
    await browser.submit(await browser.get(start), '/login/email', { email });
    return this.mail.linkTo(address, before);
  }

  async signInByMail(browser: FormBrowser, email: string): Promise<VisitedPage> {
    const link = await this.askForLink(browser, email);
    return browser.submit(await browser.get(link), '/login/link');
  }

  async signInAt(browser: FormBrowser, name: 'github' | 'twitter', start = this.at()): Promise<VisitedPage> {
    const ask = await browser.submit(await browser.get(start), `/login/${name}`);
    const { origin, search } = new URL(ask.url);
    return browser.get(`${origin}/approve${search}`);
  }
}
