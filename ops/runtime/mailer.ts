import type { SignInConfig } from '../../config/sign-in.ts';
import type { Logger, MailOutcome } from './telemetry/index.ts';

/** A plain-text message. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
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
    async send({ to, subject, text }: Mail): Promise<void> {
      if (transport !== null) {
        const message = { from, to: { name: '', address: to }, subject, text };
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
