/** Helpers for tests of providers. */
export { type TestContextOptions, testContext } from './context-for-tests.ts';
