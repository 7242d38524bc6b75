/**
 * A size for stories that take minutes at their full one: `CHANDLERY_TEST_LONG=1 npm test -- <words>` runs them at full
 * size, a plain `npm test` at the one that fits into its time.
 */
export const longRun = (full: number, usual: number): number =>
  process.env.CHANDLERY_TEST_LONG === undefined ? usual : full;
