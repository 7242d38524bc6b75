import assert from 'node:assert/strict';
import { join } from 'node:path';
import { eventually, runProcess, type TestLandscape } from '@chandlery/testing';
import { parse } from 'yaml';
import type { ConsoleTab } from './console-browser.ts';

const root = join(import.meta.dirname, '../../..');
const chandlery = join(root, 'apps/cli/bin/chandlery.mjs');
const timeoutMs = 120_000;

/** Opens a page and signs in; the console is built for the first one. */
export async function signInAt(tab: ConsoleTab, path: string, token: string): Promise<void> {
  await eventually(
    async () => {
      await tab.goto(path);
      return tab.page.getByRole('heading', { name: 'Sign in to Chandlery' }).isVisible();
    },
    { timeoutMs, what: 'the console to be built' },
  );
  await tab.signIn(token);
  await tab.page.locator('.shell').waitFor();
}

/** The token of a person of the onboarding cluster, who begins without any role. */
export async function personToken({ dataDir }: Pick<TestLandscape, 'dataDir'>, user: string): Promise<string> {
  const args = [chandlery, 'kubeconfig', 'onboarding', '--user', user, '--data-dir', dataDir];
  const { code, stdout, stderr } = await runProcess(process.execPath, args, { timeoutMs });
  assert.equal(code, 0, stderr);
  const { users } = parse(stdout) as { users: [{ user: { token: string } }] };
  return users[0].user.token;
}

/** A reader of some kinds of the onboarding cluster, who may change nothing. */
export async function readerToken(
  landscape: Pick<TestLandscape, 'cluster'>,
  name: string,
  rules: readonly object[],
): Promise<string> {
  const onboarding = landscape.cluster('onboarding');
  const run = async (args: readonly string[], stdin?: string): Promise<string> => {
    const { code, stdout, stderr } = await onboarding.kubectl(args, stdin === undefined ? {} : { stdin });
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules };
  await run(['apply', '-f', '-'], JSON.stringify(role));
  await run(['create', 'serviceaccount', name, '-n', 'default']);
  await run(['create', 'clusterrolebinding', name, `--clusterrole=${name}`, `--serviceaccount=default:${name}`]);
  return (await run(['create', 'token', name, '-n', 'default'])).trim();
}

/** The verbs of readers. */
export const readVerbs = ['get', 'list', 'watch'] as const;
