/** A token for payments. `name` and `version` are those of its EIP-712 domain. */
export interface PaymentToken {
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly version: string;
  readonly decimals: number;
}

/** A chain with its Circle USDC, and a public JSON-RPC endpoint. */
interface PaymentNetwork {
  readonly title: string;
  /** The name in version 1 of x402. */
  readonly v1Name: string;
  /** Whether its tokens have no value. */
  readonly test: boolean;
  readonly usdc: PaymentToken;
  readonly rpcUrl: string;
}

/** CAIP-2 ids of the chains on which payments are taken. */
export const PAYMENT_NETWORK_IDS = ['eip155:84532', 'eip155:8453'] as const;

export const PAYMENT_NETWORKS: Readonly<Record<(typeof PAYMENT_NETWORK_IDS)[number], PaymentNetwork>> = {
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

/** The payee of a local installation: an address without a private key. */
export const DEVELOPMENT_PAYEE = '0x000000000000000000000000000000000000dEaD';
