/** What happens to leagues: every update of the store that changes a state, or that only one state allows, uses a row. */
export const LEAGUE_TRANSITIONS = {
  /** By its owner. */
  changed: { from: 'owned', to: 'owned' },
  ownerErased: { from: 'owned', to: 'offered' },
  /** A member would own it. */
  accepted: { from: 'offered', to: 'offered' },
  /** The oldest member who accepted owns it: at once where no member is older, else when the offer ends. */
  inherited: { from: 'offered', to: 'owned' },
  /** The offer ended without an answer: the league is deleted. */
  ended: { from: 'offered', to: null },
} as const;
