import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventually, startTestLandscape, tempFolder } from '@chandlery/testing';
import { createCaller } from '../../security/support/caller.ts';
import { takeNames } from './support/all-clusters.ts';
import { addSharedService } from './support/platform-features.ts';
import { runChandlery, scaffoldProvider } from './support/scaffold.ts';

/** Where the landscape keeps the accounts that it grants; made with the first of them, and kept. */
const accessPlace = /^onboarding v1\/(namespaces \/openmcp-access|serviceaccounts openmcp-access\/default)$/;

interface Report {
  readonly steps: readonly { readonly id: string; readonly outcome: string; readonly message?: string }[];
}

it('A provider with a service that all tenants share is valid in every row, and leaves nothing', async () => {
  await using folder = await tempFolder();
  const place = await scaffoldProvider(folder, 'foo');
  await addSharedService(place, 'foo');
  await using landscape = await startTestLandscape();
  await using admin = createCaller(landscape, { token: landscape.token });
  const census = async (): Promise<readonly string[]> =>
    (await takeNames(landscape, admin)).filter(entry => !accessPlace.test(entry));
  const before = await census();
  const args = ['provider', 'validate', 'foo', '-o', 'json', '--data-dir', landscape.dataDir];
  const { code, stdout, stderr } = await runChandlery(place, args, 480_000);
  const { steps } = JSON.parse(stdout) as Report;
  assert.deepEqual(
    steps.filter(({ outcome }) => outcome !== 'passed'),
    [],
    stderr,
  );
  assert.equal(code, 0);
  assert.ok(steps.some(({ id }) => id === '2j'));
  await eventually(
    async () => {
      assert.deepEqual(await census(), before);
      return true;
    },
    { timeoutMs: 60_000, pauseMs: 500, what: 'everything to be as before' },
  );
});
