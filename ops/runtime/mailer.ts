import type { SignInConfig } from '../../config/sign-in.ts';
import type { Logger } from './telemetry/index.ts';

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

export type Mailer = NonNullable<ReturnType<typeof createMailer>>;

/** Loads the package of mail with the first message: no process needs it to start. */
async function openTransport(url: string) {
  const { createTransport } = await import('nodemailer');
  return createTransport({ url, pool: true, maxConnections: 2, ...TIMEOUTS });
}

/** Null, without sign-in by mail: only a local installation without a mail server logs its mail and keeps it in memory. */
export function createMailer({ smtpUrl, mailFrom: from, local }: SignInConfig, log: Pick<Logger, 'warn'>) {
  if (smtpUrl === null && !local) return null;
  let opening: ReturnType<typeof openTransport> | null = null;
  const kept: Mail[] = [];
  const outbox: readonly Mail[] = kept;
  return {
    async send({ to, subject, text }: Mail): Promise<void> {
      if (smtpUrl !== null) {
        opening ??= openTransport(smtpUrl);
        const transport = await opening;
        await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
        return;
      }
      kept.unshift({ to, subject, text });
      kept.length = Math.min(kept.length, OUTBOX_MAILS);
      log.warn({ to }, `no mail server is configured; the mail is:\n${text}`);
    },
    /** Unsent mail, newest first; null when mail is sent. */
    outbox: smtpUrl === null ? outbox : null,
    close: async (): Promise<void> => (await opening)?.close(),
  };
}
