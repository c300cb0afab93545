/** The mark of the site: the letter as streams that join. */
export const FAVICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="4" fill="#12161a"/>' +
  '<g fill="none" stroke-width="2.5" stroke-linecap="round"><path d="M4.5 5C9 5 12 8.5 12 13v6.5" stroke="#79c9dc"/>' +
  '<path d="M19.5 5C15 5 12 8.5 12 13v6.5" stroke="#f2a668"/></g></svg>';
