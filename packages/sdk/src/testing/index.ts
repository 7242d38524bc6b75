/** What tests of providers need. */
export { type TestContextOptions, testContext } from './context-for-tests.ts';
