/** Where the service's parts are. No slash at the end. */
export interface Addresses {
  readonly baseUrl: string;
  readonly siteUrl: string;
  readonly loginUrl: string;
  readonly authUrl: string;
  readonly issuer: string;
}
