import { expect } from 'chai';
import { openIdentityService } from '../../../support/identity-service.ts';

const TERMS_URL = 'https://upsilon.example/terms';
const PRIVACY_URL = 'https://upsilon.example/privacy';

describe("links to an installation's own documents", () => {
  it('are on pages, on the sign-in page, in the API description and in the metadata; without them there are none', async () => {
    for (const env of [{ TERMS_URL, PRIVACY_URL }, {}]) {
      await using service = await openIdentityService({ env: () => env });
      const textOf = async (path: string): Promise<string> => (await fetch(service.origin + path)).text();
      const expected = Object.keys(env).length > 0;
      for (const path of ['/', '/developers/errors', '/login']) {
        const page = await textOf(path);
        expect(page.includes(`href="${TERMS_URL}"`), path).to.equal(expected);
        expect(page.includes(`href="${PRIVACY_URL}"`), path).to.equal(expected);
      }
      const { info } = JSON.parse(await textOf('/openapi.json'));
      const { op_tos_uri, op_policy_uri } = JSON.parse(await textOf('/.well-known/openid-configuration'));
      expect([info.termsOfService, op_tos_uri, op_policy_uri]).to.deep.equal(
        expected ? [TERMS_URL, TERMS_URL, PRIVACY_URL] : [undefined, undefined, undefined],
      );
    }
  });
});
