/** What the stand-in takes as its key, and what it signs webhooks with. */
export const STAND_IN_KEY = 'sk_test_standin0123456789';
export const STAND_IN_SECRET = 'whsec_standin0123456789';
