/** What the public ratios disclose: for everybody who decides whether to submit. */
export const PUBLIC_TOTALS =
  'Leverage and velocity are public and exact, so anybody can compute your exact totals of input, output and cache reads from them, day by day.';
