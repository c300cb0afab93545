/** The key that signed every vector, unless its name says otherwise. Its seed is public: never enrol it. */
export const VECTOR_KEY = {
  seed: '7c553a3467deb4ef91feaa88dc15e1aa65a1794432633d36a1e28a2e4f10ae63',
  x: 'VhswCdQWV9cgvtkz_5ulLuSqv6DqjJ1antHM14UjGKQ',
  kid: 'eIqFwEFlefRbp74waHJENyHaOFhz8obW8cR5li5XoqQ',
} as const;

export const VECTORS_RECEIVED_AT = '2026-03-01T12:00:00.000Z';

/** A proof of possession of that key by the operator "sample-fox". */
export const VECTOR_PROOF =
  'eyJhbGciOiJFZERTQSIsInR5cCI6ImRldmljZS1wcm9vZitqd3MifQ.eyJjb2RlbmFtZSI6InNhbXBsZS1mb3giLCJpYXQiOjE3NzIzNjYzNzB9.u562SLPDgeJbDYWV4jqXyKtmX-k2nMynBZTdVypsj48FozaxsASiPrEFdffE86y0Ptw0H8oxazbVVr6mUd9xDA';

/** Request bodies, byte for byte, and their verdicts when received at `VECTORS_RECEIVED_AT`. A selection; the full set of about 160 vectors is under test/vectors. */
export const SIGNING_VECTORS = [
  {
    name: 'with a platform',
    body: '{"codename":"sample-fox","input":120000,"output":450000,"cache_read":9800000,"cache_write":610000,"platform":"sample-tool","signature":"eyJhbGciOiJFZERTQSIsInR5cCI6InNuYXBzaG90K2p3cyIsImtpZCI6ImVJcUZ3RUZsZWZSYnA3NHdhSEpFTnlIYU9GaHo4b2JXOGNSNWxpNVhvcVEiLCJqdGkiOiJ2LWtrcjhHSzEyd0NWdVhXN1I0cXcydjciLCJpYXQiOjE3NzIzNjYzNzB9..IHZ3zqh7yKsyg-6pAwj_XKQcxrUw-TXfl2lbPWs_7n_e9H6ZKk6gv3XTc49FncdBhrU8EGW1EXNWMGbTu_pGDA"}',
    verdict: 'accepted',
  },
  {
    name: 'a codename in capitals',
    body: '{"codename":"Sample-FOX","input":120000,"output":450000,"cache_read":9800000,"cache_write":610000,"signature":"eyJhbGciOiJFZERTQSIsInR5cCI6InNuYXBzaG90K2p3cyIsImtpZCI6ImVJcUZ3RUZsZWZSYnA3NHdhSEpFTnlIYU9GaHo4b2JXOGNSNWxpNVhvcVEiLCJqdGkiOiJ2LWxMWVA5SDFQTzVkdWdadWFYX2d3SnIiLCJpYXQiOjE3NzIzNjYzNzB9..nA70iXX8KfWJJCGg1aCqQi-vFEppFXZmnL_G1hbTnFN00licRHrzLEDxW8g_u4dhbLWTRVnN4Z9uWyWdTGPbAQ"}',
    verdict: 'accepted',
  },
  {
    name: 'iat written as a fraction',
    body: '{"codename":"sample-fox","input":120000,"output":450000,"cache_read":9800000,"cache_write":610000,"signature":"eyJhbGciOiJFZERTQSIsInR5cCI6InNuYXBzaG90K2p3cyIsImtpZCI6ImVJcUZ3RUZsZWZSYnA3NHdhSEpFTnlIYU9GaHo4b2JXOGNSNWxpNVhvcVEiLCJqdGkiOiJ2LVpaNG5ReHk3eWJnYTVHMjNweE9OOFYiLCJpYXQiOjE3NzIzNjYzNzAuMH0..kuzGuhqV8IDeowr0iaNFwkPaD1_KP_j9asIH4Wxc0yWhqmxh4qc0Axes6MBh1U6IzlTRngybCNTxAqRfPjtPDA"}',
    verdict: 'accepted',
  },
  {
    name: 'as_of a month before',
    body: '{"codename":"sample-fox","input":120000,"output":450000,"cache_read":9800000,"cache_write":610000,"signature":"eyJhbGciOiJFZERTQSIsInR5cCI6InNuYXBzaG90K2p3cyIsImtpZCI6ImVJcUZ3RUZsZWZSYnA3NHdhSEpFTnlIYU9GaHo4b2JXOGNSNWxpNVhvcVEiLCJqdGkiOiJ2LU5tYjFoQmJCNk1PWlRRUjhORlRSTlkiLCJpYXQiOjE3NzIzNjYzNzAsImFzX29mIjoxNzY5Nzc0MzcwfQ..SluLawpZ2Lv23DKIdInuukAxcWaiovaEd0PM8yOGtd3tJqxkB_MObnUEZ0AhQ20N2EezSH9J99m7nCYngh9jDA"}',
    verdict: 'accepted',
  },
  {
    name: 'tampered: output',
    body: '{"codename":"sample-fox","input":120000,"output":450001,"cache_read":9800000,"cache_write":610000,"signature":"eyJhbGciOiJFZERTQSIsInR5cCI6InNuYXBzaG90K2p3cyIsImtpZCI6ImVJcUZ3RUZsZWZSYnA3NHdhSEpFTnlIYU9GaHo4b2JXOGNSNWxpNVhvcVEiLCJqdGkiOiJ2LVZZNmk2R2tZN0R2LWJzel9wdHNmY1QiLCJpYXQiOjE3NzIzNjYzNzB9..nfTPGwZ52XMF4KVkrUKTlqnvU0tMcDL-0oE3PaOeg7K1BdlnS-cvkxWwthQY3Xzj8aZO-xTKSSmF8I-RQAUbDw"}',
    verdict: 'signature_invalid',
  },
  {
    name: 'tampered: platform removed',
    body: '{"codename":"sample-fox","input":120000,"output":450000,"cache_read":9800000,"cache_write":610000,"signature":"eyJhbGciOiJFZERTQSIsInR5cCI6InNuYXBzaG90K2p3cyIsImtpZCI6ImVJcUZ3RUZsZWZSYnA3NHdhSEpFTnlIYU9GaHo4b2JXOGNSNWxpNVhvcVEiLCJqdGkiOiJ2LTdFVkZFZEhFZjdnVlRfUkExME1EazMiLCJpYXQiOjE3NzIzNjYzNzB9..M7xjmE8cURH1mZ6Qi14v6zYgIzwx8PQuxUQeba7-0nGsLTJVJw6ILOZdwR_1AqR_D2HnrkuV57ew-D3zzLAUAQ"}',
    verdict: 'signature_invalid',
  },
  {
    name: 'signed in insertion order instead of canonical order',
    body: '{"codename":"sample-fox","input":120000,"output":450000,"cache_read":9800000,"cache_write":610000,"signature":"eyJhbGciOiJFZERTQSIsInR5cCI6InNuYXBzaG90K2p3cyIsImtpZCI6ImVJcUZ3RUZsZWZSYnA3NHdhSEpFTnlIYU9GaHo4b2JXOGNSNWxpNVhvcVEiLCJqdGkiOiJ2LXpLaldVYUZoQ2ZTLThiVWZUOE9rY00iLCJpYXQiOjE3NzIzNjYzNzB9..owyJX6_MAZiRyDrhb2Bq5i8u9Gi5dIgAJ2-PW6yH4-Fh8UZKLdcEhPjbIZMdj-L29yosKPzWMm6tRV5WBr4gDg"}',
    verdict: 'signature_invalid',
  },
  {
    name: 'iat 5 minutes and a second ahead',
    body: '{"codename":"sample-fox","input":120000,"output":450000,"cache_read":9800000,"cache_write":610000,"signature":"eyJhbGciOiJFZERTQSIsInR5cCI6InNuYXBzaG90K2p3cyIsImtpZCI6ImVJcUZ3RUZsZWZSYnA3NHdhSEpFTnlIYU9GaHo4b2JXOGNSNWxpNVhvcVEiLCJqdGkiOiJ2LWRTelI1Q2hwTEViVGdEMXRrQkRVZHAiLCJpYXQiOjE3NzIzNjY3MDF9..7FFgGT0U2inHJ34dE6BUUZ9N2k5sF3vTLfCP9rLbIO2wrDxV7BpdOeSbHs4j397o3qguHHMU37DiXiMu7oU0DQ"}',
    verdict: 'issued_in_future',
  },
  {
    name: 'alg none, a good signature',
    body: '{"codename":"sample-fox","input":120000,"output":450000,"cache_read":9800000,"cache_write":610000,"signature":"eyJhbGciOiJub25lIiwidHlwIjoic25hcHNob3QrandzIiwia2lkIjoiZUlxRndFRmxlZlJicDc0d2FISkVOeUhhT0ZoejhvYlc4Y1I1bGk1WG9xUSIsImp0aSI6InYtdG9ud2x0WGN5SUhYU3hFQWxVeHJCeSIsImlhdCI6MTc3MjM2NjM3MH0..mRF-WfFK8Lm3lqee5p9WF2lPI_ScaSQnjr18YRJ2j5w1ObBU_-j6RB4WLFncUT943iFIx2wbVR9XsBVVvEsfDQ"}',
    verdict: 'refused as a request (400)',
  },
  {
    name: 'compact form: attached payload',
    body: '{"codename":"sample-fox","input":120000,"output":450000,"cache_read":9800000,"cache_write":610000,"signature":"eyJhbGciOiJFZERTQSIsInR5cCI6InNuYXBzaG90K2p3cyIsImtpZCI6ImVJcUZ3RUZsZWZSYnA3NHdhSEpFTnlIYU9GaHo4b2JXOGNSNWxpNVhvcVEiLCJqdGkiOiJ2LTZMSmRJRnFnZEdZOWUxT1NrUXlzTlAiLCJpYXQiOjE3NzIzNjYzNzB9.eyJjYWNoZV9yZWFkIjo5ODAwMDAwLCJjYWNoZV93cml0ZSI6NjEwMDAwLCJjb2RlbmFtZSI6InNhbXBsZS1mb3giLCJpbnB1dCI6MTIwMDAwLCJvdXRwdXQiOjQ1MDAwMH0.WGrjf3rM2mGab6DW2aaDY9zVZBm0VWeGctkN36lPdQLOLSB52ZacnN1UqkuCb1uGr2kfEygYhj6sxbBBAl01AQ"}',
    verdict: 'refused as a request (400)',
  },
];
