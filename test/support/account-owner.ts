import { FormBrowser, type VisitedPage } from './form-browser.ts';
import type { IdentityService } from './identity-service.ts';
import { connectApp, openApp } from './oauth-app.ts';
import { makeDeviceKey, makeDeviceProof, makeSubmission, type TestPayload } from './signing.ts';

/** Somebody who signed in in a browser, and whose devices submit. */
export async function openAccountOwner(service: IdentityService, name: string) {
  const browser = new FormBrowser();
  const { access_token: token } = await connectApp(await openApp(service.config.authUrl), browser, name);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const me = await fetch(`${service.config.baseUrl}/me`, { headers });
  const codename = String(Reflect.get(Object(await me.json()), 'codename'));
  const operator = (await service.ranking.operators.find(codename))?.operator ?? 0;
  const iat = (): number => Math.floor((Date.now() + service.ahead) / 1000);
  const enrol = async (deviceName: string, key = makeDeviceKey()): Promise<string> => {
    const proof = makeDeviceProof(key, { codename, iat: iat() });
    const body = JSON.stringify({ jwk: key.jwk, proof, name: deviceName });
    await fetch(`${service.config.baseUrl}/devices`, { method: 'POST', headers, body });
    return key.kid;
  };
  /** `daysAgo`: the day of the counts. */
  const submit = async (counts: Omit<TestPayload, 'codename'>, daysAgo = 0): Promise<void> => {
    const key = makeDeviceKey();
    await enrol('submitting', key);
    const body = JSON.stringify(
      makeSubmission(key, { codename, ...counts }, { iat: iat(), as_of: iat() - daysAgo * 86_400 }),
    );
    const prefer = service.hasWorker ? 'wait=10' : 'respond-async';
    await fetch(`${service.config.baseUrl}/snapshots`, { method: 'POST', headers: { ...headers, prefer }, body });
  };
  const page = (path = '/account'): Promise<VisitedPage> => browser.get(`${service.origin}${path}`);
  /** Sends a form that no page offers, with the browser's CSRF token. */
  const send = async (path: string, fields: Readonly<Record<string, string>>): Promise<VisitedPage> => {
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec((await page()).text) ?? [];
    return browser.post(`${service.origin}${path}`, new URLSearchParams({ csrf, ...fields }));
  };
  return { browser, codename, operator, enrol, submit, page, send };
}
