import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accessNamespace } from '../../model/access/access-names.ts';
import { accountOf, core, exists, readPods, requestRef, secretRef, TestAccess } from './test-access.ts';
import { MortalClients } from './test-mortal-clients.ts';

const pods = { ...core, plural: 'pods', namespace: 'work' };
const token = {
  permissions: [{ namespace: 'work', rules: readPods }],
  roleRefs: [{ kind: 'ClusterRole' as const, name: 'view', namespace: 'default' }],
};

const thingsOf = (hash: string): readonly string[] => [
  `serviceaccounts ${accessNamespace}/${hash}`,
  `roles work/openmcp:permission:${hash}:0`,
  `rolebindings default/openmcp:roleref:${hash}:0`,
  `rolebindings work/openmcp:permission:${hash}:0`,
];

/**
 * Stops a process after a number of writes while something happens, and starts another one. Returns whether it was
 * stopped.
 */
async function dieDuring(test: TestAccess, lifeInWrites: number, happens: () => Promise<unknown>): Promise<boolean> {
  const clients = new MortalClients(lifeInWrites);
  await test.stop();
  test.source.wrap = clients.wrap;
  test.run(clients.wrap);
  const hasDied = (await Promise.race([clients.death, happens()])) === 'died';
  await test.stop();
  test.source.wrap = client => client;
  test.run();
  return hasDied;
}

describe('a process that is killed', () => {
  test('while it gives access leaves nothing that the next one does not put right', async () => {
    await using test = await TestAccess.start();
    let hasDied = true;
    for (let life = 0; hasDied; life++) {
      const name = `request-${life}`;
      await test.request(name, { token });
      hasDied = await dieDuring(test, life, () => test.phase(name, 'Granted'));
      await test.phase(name, 'Granted');
      const hash = accountOf(name);
      const things = (await test.things()).filter(thing => thing.includes(hash));
      assert.deepEqual(things, thingsOf(hash), `after ${life} writes`);
      assert.equal((await test.as(name).list(pods)).items.length, 0);
      assert.ok((await test.secret(name)).token);
      assert.ok(life < 40, 'it should get through at last');
    }
  });

  test('while it takes access away leaves nothing behind', async () => {
    await using test = await TestAccess.start();
    let hasDied = true;
    for (let life = 0; hasDied; life++) {
      const name = `request-${life}`;
      await test.request(name, { token });
      await test.phase(name, 'Granted');
      hasDied = await dieDuring(test, life, async () => {
        await test.delete(requestRef(name));
        await test.deleted(name);
      });
      await test.deleted(name);
      assert.deepEqual(await test.things(), [], `after ${life} writes`);
      assert.equal(await exists(test.platform, secretRef(name)), false);
    }
  });
});
