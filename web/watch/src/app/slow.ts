/** How long the host may take to answer before the page says what may be the reason, in milliseconds. */
export const slowAfter = 5000
