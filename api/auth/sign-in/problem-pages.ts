import { html } from '../pages/html.ts';
import type { Reply } from './visit.ts';

/** A page that says what is wrong and what to do. */
export function showProblem(reply: Reply, status: number, title: string, advice: string): void {
  reply.page({ title, body: html`<p>${advice}</p>` }, { status });
}
