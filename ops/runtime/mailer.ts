import type { SignInConfig } from '../../config/sign-in.ts';
import type { Logger, MailOutcome } from './telemetry/index.ts';

/** A message; `html` says the same as `text`. A POST to `endUrl` ends mails of this kind (RFC 8058). */
export interface Mail extends Partial<Readonly<Record<'html' | 'endUrl', string>>> {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** By an error of `send`, what the server refuses: the recipient, or the service. Null: this mail (RFC 3463, X.7), or nothing. */
export function refusalOf(error: unknown): 'for_good' | 'for_a_time' | 'of_service' | 'silence' | null {
  const { command, responseCode, response } = Object(error);
  if (typeof responseCode !== 'number') return 'silence';
  if (command !== 'RCPT TO' && command !== 'DATA') return 'of_service';
  if (responseCode < 500) return 'for_a_time';
  return command === 'DATA' || String(response).includes(' 5.7.') ? null : 'for_good';
}

/** Maximum number of mails on the outbox page. */
const OUTBOX_MAILS = 20;

/** Timeouts of a mail server, in milliseconds. */
const TIMEOUTS = { connectionTimeout: 20_000, greetingTimeout: 20_000, socketTimeout: 20_000 };

export type Mailer = NonNullable<Awaited<ReturnType<typeof openMailer>>>;

/** Null, without sign-in by mail: only a local installation without a mail server logs its mail and keeps it in memory. */
export async function openMailer(
  { smtpUrl, mailFrom: from, local }: SignInConfig,
  log: Pick<Logger, 'warn'>,
  mailed: (outcome: MailOutcome) => void,
) {
  if (smtpUrl === null && !local) return null;
  const transport = smtpUrl === null ? null : await openTransport(smtpUrl);
  const kept: Mail[] = [];
  const outbox: readonly Mail[] = kept;
  return {
    /** @throws when the server is away or refuses the service. */
    check: async () => transport?.verify(),
    async send({ to, subject, text, html, endUrl }: Mail): Promise<void> {
      if (transport !== null) {
        const end = { 'List-Unsubscribe': `<${endUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
        const headers = endUrl === undefined ? {} : end;
        const message = { from, to: { name: '', address: to }, subject, text, html, headers };
        await transport.sendMail(message).catch((error: unknown) => {
          mailed('failed');
          throw error;
        });
        mailed('sent');
        return;
      }
      kept.unshift({ to, subject, text });
      kept.length = Math.min(kept.length, OUTBOX_MAILS);
      log.warn({ to }, `no mail server is configured; the mail is:\n${text}`);
    },
    /** Unsent mail, newest first; null when mail is sent. */
    outbox: transport === null ? outbox : null,
    close: () => transport?.close(),
  };
}

/** nodemailer is imported here, so that only a process with a mail server loads it. It connects with the first mail. */
async function openTransport(url: string) {
  const { createTransport } = await import('nodemailer');
  return createTransport({ url, pool: true, maxConnections: 2, ...TIMEOUTS });
}
