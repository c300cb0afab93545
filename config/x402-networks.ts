/** A token that the premium route may be paid in. `name` and `version` are those of its EIP-712 domain. */
export interface PaymentToken {
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly version: string;
  readonly decimals: number;
}

/** A chain that is known by name: its Circle USDC, and a public address where it can be read. */
export interface PaymentNetwork {
  readonly title: string;
  /** What version 1 of x402 calls it. */
  readonly v1Name: string;
  /** Whether its tokens are worth nothing. */
  readonly test: boolean;
  readonly usdc: PaymentToken;
  readonly rpcUrl: string;
}

/** The chains whose USDC is known, by their CAIP-2 name. Others take every setting. */
export const PAYMENT_NETWORKS: Readonly<Record<string, PaymentNetwork>> = {
  'eip155:84532': {
    title: 'Base Sepolia',
    v1Name: 'base-sepolia',
    test: true,
    usdc: {
      address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
      symbol: 'USDC',
      name: 'USDC',
      version: '2',
      decimals: 6,
    },
    rpcUrl: 'https://sepolia.base.org',
  },
  'eip155:8453': {
    title: 'Base',
    v1Name: 'base',
    test: false,
    usdc: {
      address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      symbol: 'USDC',
      name: 'USD Coin',
      version: '2',
      decimals: 6,
    },
    rpcUrl: 'https://mainnet.base.org',
  },
};

/** Where a local copy's payments go: an address whose key nobody has. Nobody is ever paid there for real. */
export const DEVELOPMENT_PAYEE = '0x000000000000000000000000000000000000dEaD';
