import { html } from '../../html.ts';
import type { Reply } from './visit.ts';

/** A page with a problem and advice. */
export function showProblem(reply: Reply, status: number, title: string, advice: string): void {
  reply.page({ title, body: html`<p>${advice}</p>` }, { status });
}
