/** Where an operator's page is: the website is at the service's own address, unless that redirects. */
export function profileAddress(baseUrl: string, codename: string): string {
  return new URL(`/operators/${codename}`, baseUrl).href;
}
