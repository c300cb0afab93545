import { html } from '../pages/html.ts';
import type { Visit } from './visit.ts';

/** A page that says what is wrong and what to do. */
export function showProblem(visit: Visit, status: number, title: string, advice: string): void {
  visit.page({ title, body: html`<p>${advice}</p>` }, { status });
}
