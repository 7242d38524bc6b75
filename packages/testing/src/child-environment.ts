/**
 * The environment for a process started by a test: ours plus `extra`; `undefined` removes a variable.
 *
 * The test runner's own marker is left out, otherwise a Node.js child would believe that it is a test file. Programs in
 * Go, such as kubectl, end long before it is worth the time to collect their garbage as often as they would.
 */
export function childEnvironment(extra: Readonly<Record<string, string | undefined>> = {}): NodeJS.ProcessEnv {
  return { ...process.env, NODE_TEST_CONTEXT: undefined, GOGC: '400', ...extra };
}
