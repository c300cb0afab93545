import { Readable } from 'node:stream';
import { pageHeaders } from '../pages/page-headers.ts';
import type { SignInContext } from './context.ts';
import { PATHS, pathOf } from './paths.ts';
import type { Visit } from './visit.ts';

/** `POST /account/export`: a download of everything stored about the signed-in operator. */
export async function exportAccount(context: SignInContext, visit: Visit): Promise<void> {
  const { session, ctx } = visit;
  const found = session === null ? null : await context.exportMember(session.operator);
  if (found === null) return visit.redirect(pathOf(context, PATHS.login));
  ctx.status = 200;
  ctx.set(pageHeaders());
  // Codenames are letters, digits and hyphens, so they are safe in a header and in a file name.
  ctx.set('Content-Disposition', `attachment; filename="upsilon-${found.codename}.json"`);
  ctx.type = 'application/json; charset=utf-8';
  const stream = Readable.from(found.chunks, { objectMode: false });
  // The status is already sent when a store fails: closing the connection is the only way to signal it.
  stream.once('error', (error) => {
    context.logger.error({ err: error }, 'an account export was aborted');
    ctx.res.destroy();
  });
  ctx.body = stream;
}
