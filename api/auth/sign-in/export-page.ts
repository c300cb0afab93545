import { Readable } from 'node:stream';
import { pageHeaders } from '../pages/page-headers.ts';
import type { SignInContext } from './context.ts';
import { PATHS, pathOf } from './paths.ts';
import type { Visit } from './visit.ts';

/** `POST /account/export`: one JSON document of everything that is kept about who is signed in, as a download. */
export async function exportAccount(context: SignInContext, visit: Visit): Promise<void> {
  const { session, ctx } = visit;
  const found = session === null ? null : await context.exportMember(session.operator);
  if (found === null) return visit.redirect(pathOf(context, PATHS.login));
  ctx.status = 200;
  ctx.set(pageHeaders());
  // Codenames are letters, digits and hyphens: they are safe in a header and as the name of a file.
  ctx.set('Content-Disposition', `attachment; filename="upsilon-${found.codename}.json"`);
  ctx.type = 'application/json; charset=utf-8';
  const stream = Readable.from(found.chunks, { objectMode: false });
  // The status has gone out when a store fails: what is left to tell the browser is a download that breaks off.
  stream.once('error', (error) => {
    context.logger.error({ err: error }, 'an export broke off');
    ctx.res.destroy();
  });
  ctx.body = stream;
}
