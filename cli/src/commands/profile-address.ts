/** The address of an operator's page. The service serves the website, or redirects to it. */
export function profileAddress(baseUrl: string, codename: string): string {
  return new URL(`/operators/${codename}`, baseUrl).href;
}
