import { privateKeyToAccount } from 'viem/accounts';
import { wrapFetchWithPayment } from 'x402-fetch';

// Pays for an address with the official client of x402 version 1, and prints what came back as JSON.
const [, , url, key] = process.argv;
const response = await wrapFetchWithPayment(fetch, privateKeyToAccount(key), 10_000n)(url);
const receipt = response.headers.get('x-payment-response');
process.stdout.write(JSON.stringify({ status: response.status, body: await response.json(), receipt }));
