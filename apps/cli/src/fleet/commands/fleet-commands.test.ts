import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { type FleetInstance, type FleetRollout, fleetKinds } from '@chandlery/fleet/kinds';
import { eventually, startProcess } from '@chandlery/testing';
import { startTestFleetLandscape, type TestFleetLandscape } from './test-fleet-landscape.ts';

const cluster = (id: string, region: string, limit: number) => ({
  name: id,
  cluster_id: id,
  cloud_provider: 'aws',
  region,
  multi_az: true,
  status: 'ready',
  cluster_dns: `apps.${id}.example.com`,
  instance_limit: limit,
});

const document = {
  product: { id: 'dinosaurs', kind: 'Dinosaur' },
  settings: { enable_instance_limit_control: true, max_allowed_instances: 1 },
  supported_providers: [
    {
      name: 'aws',
      default: true,
      regions: [
        { name: 'eu-central-1', default: true, supported_instance_type: { standard: {}, eval: {} } },
        { name: 'eu-north-1', supported_instance_type: { standard: {} } },
      ],
    },
  ],
  clusters: [cluster('frankfurt-1', 'eu-central-1', 20), cluster('oslo-1', 'eu-north-1', 1)],
  registered_users_per_organisation: [
    { id: 'acme', any_user: true, max_allowed_instances: 20 },
    { id: 'umbrella', any_user: true, max_allowed_instances: 1 },
  ],
  dns: { type: 'none' },
  sso: { type: 'none' },
};

let fleet: TestFleetLandscape;
before(async () => {
  fleet = await startTestFleetLandscape();
  writeFileSync(fleet.path('fleet.yaml'), JSON.stringify(document));
  const { code, stderr } = await fleet.run('fleet', 'configure', 'fleet.yaml');
  assert.equal(code, 0, stderr);
  await fleet.reportAs('frankfurt-1', '/status', {
    conditions: [{ type: 'Ready', status: 'True' }],
    dinosaurOperator: [{ version: '1.0.0-1', ready: true, dinosaurVersions: ['1.0.0'] }],
  });
});
after(() => fleet?.[Symbol.asyncDispose]());

const run: TestFleetLandscape['run'] = (...args) => fleet.run('fleet', ...args);
const create = (name: string, ...more: string[]) =>
  run('instances', 'create', name, '--org', 'acme', '--user', 'ann', ...more);

describe('fleet configure', () => {
  test('says what changed, and nothing when nothing did', async () => {
    const settings = { ...document.settings, max_allowed_instances: 2 };
    const stdin = JSON.stringify({ ...document, settings, deny_list: ['mallory'] });
    const changed = await fleet.runWith({ stdin }, 'fleet', 'configure', '-');
    assert.equal(changed.code, 0, changed.stderr);
    assert.deepEqual(changed.stdout.split('\n'), [
      'fleetproduct.fleet.chandlery.io/dinosaurs configured',
      '  + deny_list: ["mallory"]',
      '  ~ settings.max_allowed_instances: 1 -> 2',
      '',
    ]);
    const same = await fleet.runWith({ stdin }, 'fleet', 'configure', '-');
    assert.equal(same.stdout, 'fleetproduct.fleet.chandlery.io/dinosaurs unchanged\n');
    assert.match((await run('configure', 'fleet.yaml')).stdout, /^ {2}- deny_list$/m);
  });

  test('lists all problems with their places, and changes nothing', async () => {
    const settings = { max_allowed_instances: 'many', enable_everything: true };
    const stdin = JSON.stringify({ ...document, settings, deny_list: ['mallory'] });
    const { code, stdout, stderr } = await fleet.runWith({ stdin }, 'fleet', 'configure', '-');
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^settings\.enable_everything +\S.*$/m);
    assert.match(stderr, /^settings\.max_allowed_instances +must be .*$/m);
    assert.match(
      stderr,
      /^Error: cannot put .+\nWhy: {3}the document has 2 problems.+nothing has changed\nNext: {2}.+\nCode: {2}\w+\n$/m,
    );
    assert.match((await run('configure', 'fleet.yaml')).stdout, /unchanged/);
  });

  test('warns of what is allowed and probably not meant', async () => {
    const [first, second] = document.clusters;
    const stdin = JSON.stringify({ ...document, clusters: [first, { ...second, region: 'eu-north-2' }] });
    const { code, stderr } = await fleet.runWith({ stdin }, 'fleet', 'configure', '-');
    assert.equal(code, 0);
    assert.match(stderr, /^Warning: clusters\[1\]\.region .*eu-north-2/m);
    assert.equal((await run('configure', 'fleet.yaml')).stderr, '');
  });

  test('says what is wrong with a file', async () => {
    writeFileSync(fleet.path('broken.yaml'), 'product: {\n');
    writeFileSync(fleet.path('two.yaml'), 'a: 1\n---\nb: 2\n');
    writeFileSync(fleet.path('list.yaml'), '- 1\n');
    const cases = [
      ['nowhere.yaml', /cannot read the file .*nowhere\.yaml/],
      ['broken.yaml', /cannot read broken\.yaml: /],
      ['two.yaml', /two\.yaml has 2 documents/],
      ['list.yaml', /list\.yaml holds no document with keys/],
    ] as const;
    for (const [file, why] of cases) {
      const { code, stderr } = await run('configure', file);
      assert.equal(code, 1, file);
      assert.match(stderr, why);
    }
  });
});

describe('fleet token', () => {
  test('prints only the token, which the REST API accepts', async () => {
    const { code, stdout, stderr } = await run('token', '--org', 'acme', '--user', 'ann', '--ttl', '5m');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    writeFileSync(fleet.path('ann.token'), stdout);
    const created = await run('instances', 'create', 'by-token', '--token-file', 'ann.token', '-o', 'json');
    assert.equal((JSON.parse(created.stdout) as FleetInstance).spec.owner, 'ann');
  });

  test('carries roles, the cluster of an agent, and its lifetime', async () => {
    const claimsOf = async (...args: string[]): Promise<Record<string, unknown>> => {
      const { stdout } = await run('token', ...args);
      const payload = Buffer.from(stdout.split('.')[1] ?? '', 'base64url').toString();
      return JSON.parse(payload) as Record<string, unknown>;
    };
    const admin = await claimsOf('--user', 'sam', '--admin', '--ttl', '2m');
    assert.deepEqual(admin['realm_access'], { roles: ['fleet-manager-admin-full'] });
    assert.equal(Number(admin['exp']) - Number(admin['iat']), 120);
    const agent = await claimsOf('--agent', 'frankfurt-1');
    assert.deepEqual(agent['realm_access'], { roles: ['fleetshard_operator'] });
    assert.equal(agent['fleetshard-operator-cluster-id'], 'frankfurt-1');
    const user = await claimsOf('--org', 'acme', '--user', 'ann', '--org-admin');
    assert.deepEqual([user['org_id'], user['username'], user['is_org_admin']], ['acme', 'ann', true]);
  });

  test('says what is missing or wrong', async () => {
    const cases = [
      [['--user', 'ann'], /--org ORG is missing/],
      [['--org', 'acme'], /--user USER is missing/],
      [['--agent', 'a', '--admin'], /leave out --admin/],
      [['--org', 'a', '--user', 'b', '--ttl', 'soon'], /--ttl must be a duration/],
    ] as const;
    for (const [args, why] of cases) {
      const { code, stderr } = await run('token', ...args);
      assert.equal(code, 2);
      assert.match(stderr, why);
    }
    const short = await run('token', '--org', 'a', '--user', 'b', '--ttl', '1s');
    assert.equal(short.code, 1);
    assert.match(short.stderr, /expiration_seconds must be an integer from 60/);
  });
});

describe('fleet instances', () => {
  test('are created, listed and described', async () => {
    const created = await create('orca');
    assert.equal(created.code, 0, created.stderr);
    assert.match(
      created.stdout,
      /^fleetinstance\.fleet\.chandlery\.io\/\w{20} created \((accepted|preparing|provisioning)\)$/m,
    );
    const listed = await run('instances', 'list', '--org', 'acme');
    assert.match(listed.stdout, /^NAME +PRODUCT +ORG +OWNER +STATE +CLUSTER +AGE$/m);
    assert.match(listed.stdout, /^orca +dinosaurs +acme +ann +\w+ +frankfurt-1 +\d+s$/m);
    const described = await run('instances', 'describe', 'orca');
    assert.match(described.stdout, /^Name: +orca$[\s\S]*^Region: +eu-central-1 of aws$[\s\S]*^Cluster: +frankfurt-1$/m);
    const [name = ''] = (await run('instances', 'list', '-o', 'name')).stdout.split('\n');
    assert.match(name, /^fleetinstance\.fleet\.chandlery\.io\/\w{20}$/);
    const byId = await run('instances', 'describe', name.split('/')[1] ?? '', '-o', 'yaml');
    assert.match(byId.stdout, /^kind: FleetInstance$/m);
    assert.equal((await run('instances', 'list', '--org', 'nobody')).stdout, '');
  });

  test('that cannot be had say why and what next', async () => {
    const cases = [
      [['orca', '--org', 'acme', '--user', 'ann'], /already used.*\[DINOSAURS-MGMT-36\]\nNext: {2}Choose another name/],
      [['Bad_Name', '--org', 'acme', '--user', 'ann'], /\[DINOSAURS-MGMT-32\]/],
      [['x', '--org', 'acme', '--user', 'ann', '--region', 'moon'], /region moon is not supported/],
      [['x', '--org', 'acme', '--user', 'ann', '--plan', 'standard.x9'], /\[DINOSAURS-MGMT-42\]/],
      [['x', '--org', 'acme', '--user', 'ann', '--product', 'parrots'], /\[PARROTS-MGMT-7\]/],
    ] as const;
    for (const [args, why] of cases) {
      const { code, stdout, stderr } = await run('instances', 'create', ...args);
      assert.deepEqual([code, stdout], [1, ''], stderr);
      assert.match(stderr, why);
    }
    assert.equal((await run('instances', 'create', 'x', '--org', 'acme')).code, 2);
    const umbrella = ['--org', 'umbrella', '--user', 'al', '--region', 'eu-north-1'];
    assert.equal((await run('instances', 'create', 'one', ...umbrella)).code, 0);
    const second = await run('instances', 'create', 'two', '--org', 'umbrella', '--user', 'al');
    assert.match(second.stderr, /maximum number of 1 .*\nNext: {2}.*fleet quota/);
  });

  const report = async (name: string, condition: object): Promise<void> => {
    const { metadata } = await fleet.untilState(name, 'provisioning');
    const routes = [{ name: '', prefix: '', router: 'router.frankfurt-1.example.com' }];
    const conditions = [{ type: 'Ready', ...condition }];
    const reports = { [metadata.name ?? '']: { conditions, routes, adminServerURI: `https://${name}.example.com/` } };
    await fleet.reportAs('frankfurt-1', '/dinosaurs/status', reports);
  };

  test('are waited for until they are ready, with their progress', async () => {
    const waiting = create('patient', '--wait');
    await report('patient', { status: 'True' });
    const { code, stdout, stderr } = await waiting;
    assert.equal(code, 0, stderr);
    assert.match(stderr, /provisioning \(\d+ s\): the agent has not reported it as ready\n/);
    assert.match(stderr, /\nready \(\d+ s\)\n$/);
    assert.match(stdout, /created \(ready\)\n {2}Host: {2}patient-\w{20}\.kas\.frankfurt-1\.example\.com\n/);
    assert.equal((await run('instances', 'describe', 'patient', '-o', 'url')).stdout, 'https://patient.example.com/\n');
    const early = await run('instances', 'describe', 'orca', '-o', 'url');
    assert.equal(early.code, 1);
    assert.match(early.stderr, /has reported no address; its state is \w+\n/);
  });

  test('that fail during --wait end the command with 1 and the reason', async () => {
    const waiting = create('unlucky', '--wait');
    await report('unlucky', { status: 'False', reason: 'Error', message: 'the disk is full' });
    const { code, stdout, stderr } = await waiting;
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /\nWhy: {3}it has failed: .*the disk is full.*\nNext: {2}.*fleet explain unlucky/);
  });

  test('that are not ready in time end the command with 1 and what is missing', async () => {
    const { code, stderr } = await create('slow', '--wait', '--timeout', '1');
    assert.equal(code, 1);
    assert.match(stderr, /\nWhy: {3}its state is \w+ after 1 s.*\nNext: {2}It continues: .*fleet explain slow/);
  });

  test('continue when the wait is interrupted, and the command says how to check again', async () => {
    const program = join(import.meta.dirname, '../../../bin/chandlery.mjs');
    const args = ['fleet', 'instances', 'create', 'left', '--org', 'acme', '--user', 'ann', '--wait'];
    await using waiting = await startProcess(process.execPath, [program, ...args], {
      cwd: fleet.path('.'),
      ready: /^provisioning \(/m,
    });
    waiting.signal('SIGINT');
    assert.deepEqual(await waiting.ended, { code: 130, signal: null });
    assert.match(
      waiting.stderr(),
      /\nWhy: {3}you stopped waiting; its state is provisioning: .*\nNext: {2}It continues: .*fleet explain left/,
    );
    assert.match((await run('instances', 'list')).stdout, /^left .*provisioning/m);
  });

  test('are deleted after a confirmation', async () => {
    await create('doomed');
    const asked = await fleet.runWith({ isInteractive: true, stdin: 'y\n' }, 'fleet', 'instances', 'delete', 'doomed');
    assert.equal(asked.code, 1);
    assert.match(
      asked.stderr,
      /Delete the instance "doomed" \(product dinosaurs, organisation acme\)\? Type "doomed" to confirm/,
    );
    const { code, stdout } = await run('instances', 'delete', 'doomed', '--yes');
    assert.equal(code, 0);
    assert.match(stdout, /^fleetinstance\.fleet\.chandlery\.io\/\w{20} is being deleted\n$/);
    const missing = await run('instances', 'delete', 'nothing');
    assert.match(missing.stderr, /there is no instance "nothing"\nNext: {2}.*fleet instance list/);
  });

  test('of one name in several organisations are distinguished', async () => {
    await create('twin', '--region', 'eu-central-1');
    const taken = { product: 'dinosaurs', name: 'twin', owner: 'bo', organisation: 'other' };
    const { apiVersion, kind } = fleetKinds.instances;
    await fleet.client.create(
      { ...fleetKinds.instances.ref, namespace: 'fleet' },
      { apiVersion, kind, metadata: { name: 'twin-of-bo' }, spec: taken },
    );
    const { code, stderr } = await run('instances', 'describe', 'twin');
    assert.equal(code, 1);
    assert.match(stderr, /there are 2 of instance "twin": .*organisation acme.*twin-of-bo .*organisation other/);
    assert.match((await run('instances', 'describe', 'twin', '--org', 'other')).stdout, /^ID: +twin-of-bo$/m);
  });

  test('that are deleted are listed as long as their records are kept', async () => {
    await create('rex');
    await fleet.untilState('rex', 'provisioning');
    const waiting = run('instances', 'delete', 'rex', '-y', '--wait');
    const { metadata } = await fleet.untilState('rex', 'deprovision');
    const conditions = [{ type: 'Ready', status: 'False', reason: 'Deleted' }];
    await fleet.reportAs('frankfurt-1', '/dinosaurs/status', { [metadata.name ?? '']: { conditions } });
    const { code, stdout, stderr } = await waiting;
    assert.equal(code, 0, stderr);
    // The state is polled: on a busy machine the instance may be deleted before it was seen as deprovisioning.
    assert.match(stderr, /^(?:deleting|deprovision) \(\d+ s\)/m);
    assert.match(stdout, / deleted\n$/);
    const listed = await run('instances', 'list', '--deleted', '--org', 'acme');
    assert.match(listed.stdout, /^NAME +PRODUCT +ORG +OWNER +DELETED +KEPT UNTIL$/m);
    assert.match(listed.stdout, /^rex +dinosaurs +acme +ann +\d+s ago +\d{4}-\S+$/m);
    assert.equal((await run('instances', 'list', '--deleted', '--org', 'umbrella')).stdout, '');
  });
});

describe('fleet explain and quota', () => {
  test('explain says what every cluster makes of an instance', async () => {
    await create('wanderer');
    const { code, stdout } = await run('explain', 'wanderer');
    assert.equal(code, 0);
    assert.match(stdout, /^Instance: +wanderer \(\w{20}\) of organisation acme$/m);
    assert.match(stdout, /^Needs: +eu-central-1 of aws, standard\.x1, 1 capacity unit, several zones$/m);
    assert.match(stdout, /^frankfurt-1 +it is here$/m);
    assert.match(stdout, /^oslo-1 +passed over: it is in region eu-north-1 of aws, not in eu-central-1 of aws$/m);
    const { placement } = await fleet.json<{ placement: { clusters: unknown[] } }>('fleet', 'explain', 'wanderer');
    assert.equal(placement.clusters.length, 2);
  });

  test('explain says that the router of an agent is outside the domain of its cluster', async () => {
    await create('stray');
    const { metadata } = await fleet.untilState('stray', 'provisioning');
    const routes = [{ name: 'main', prefix: '', router: 'router.elsewhere.example.com' }];
    const conditions = [{ type: 'Ready', status: 'True' }];
    await fleet.reportAs('frankfurt-1', '/dinosaurs/status', { [metadata.name ?? '']: { conditions, routes } });
    const { stdout } = await run('explain', 'stray');
    assert.match(
      stdout,
      /^Why: +.*router\.elsewhere\.example\.com.* not in the domain frankfurt-1\.example\.com.*cluster_dns/m,
    );
  });

  test('errors of orders say what to do: an unknown product, a second trial', async () => {
    const unknown = await create('lost', '--product', 'parrots');
    assert.match(unknown.stderr, /There is no product "parrots".*\nNext: {2}.*kubectl get fleetproducts/);
    const trial = (name: string) => run('instances', 'create', name, '--org', 'nobody', '--user', 'tess');
    assert.equal((await trial('trial')).code, 0);
    assert.match((await trial('trial-2')).stderr, /\[DINOSAURS-MGMT-24\]\nNext: {2}Delete the trial/);
  });

  test('quota shows limits and use by organisation', async () => {
    const { stdout } = await run('quota');
    assert.match(stdout, /^TYPE +ORG +USER +USED +LIMIT +SOURCE$/m);
    assert.match(stdout, /^organisation +umbrella +any +1 +1 +document$/m);
    const { items } = await fleet.json<{ items: { organisation: string }[] }>('fleet', 'quota', '--org', 'acme');
    assert.deepEqual(
      items.map(({ organisation }) => organisation),
      ['acme'],
    );
    assert.match((await run('quota', '--product', 'parrots')).stderr, /There is no product "parrots"/);
  });
});

describe('fleet clusters', () => {
  test('are listed and described with what is on them', async () => {
    await create('resident');
    const { stdout } = await run('clusters', 'list');
    assert.match(stdout, /^frankfurt-1 +dinosaurs +aws +eu-central-1 +ready +seen \d+s ago +\d+s$/m);
    const described = await run('clusters', 'describe', 'frankfurt-1');
    assert.match(described.stdout, /^Units: +\d+ used of 20$/m);
    assert.match(described.stdout, /^Takes new: +yes$/m);
    assert.match((await run('clusters', 'describe', 'atlantis')).stderr, /there is no cluster "atlantis"/);
  });

  test('that are drained take no new instances until that is undone', async () => {
    const drained = await run('clusters', 'drain', 'frankfurt-1');
    assert.equal(drained.code, 0, drained.stderr);
    assert.match(drained.stdout, /dinosaurs\.frankfurt-1 is draining: \d+ instances are on it/);
    assert.match((await run('clusters', 'list')).stdout, /^frankfurt-1 .* ready \(draining\)/m);
    assert.match(
      (await create('refused')).stderr,
      /No cluster of region.*\[DINOSAURS-MGMT-24\]\nNext: {2}.*cluster list/,
    );
    assert.match((await run('clusters', 'drain', 'frankfurt-1', '--lost')).stdout, /is given up: \d+ instances/);
    assert.match((await run('clusters', 'list')).stdout, /^frankfurt-1 .* ready \(lost\)/m);
    assert.equal((await run('clusters', 'drain', 'frankfurt-1', '--lost', '--undo')).code, 1);
    assert.match((await run('clusters', 'drain', 'frankfurt-1', '--undo')).stdout, /takes new instances again/);
    assert.equal((await create('welcome')).code, 0);
  });
});

describe('fleet rollout', () => {
  const rollouts = fleetKinds.rollouts.ref;
  const setPhase = (name: string, status: JsonObject) =>
    fleet.client.patch({ ...rollouts, name, subresource: 'status' }, { type: 'merge', body: { status } });

  test('starts with waves and limits', async () => {
    const flags = ['--version', '1.1.0', '--wave', '1', '--wave', '25%', '--per-cluster', '2', '--org', 'nobody'];
    const { code, stdout } = await run('rollout', 'start', 'careful', ...flags, '-o', 'json');
    assert.equal(code, 0);
    assert.deepEqual((JSON.parse(stdout) as FleetRollout).spec, {
      product: 'dinosaurs',
      productVersion: '1.1.0',
      organisations: ['nobody'],
      waves: [{ count: 1 }, { percent: 25 }],
      maxConcurrentPerCluster: 2,
    });
    assert.match((await run('rollout', 'status')).stdout, /^careful +dinosaurs +1\.1\.0 /m);
  });

  test('needs a version, and sizes that can be read', async () => {
    for (const [args, why] of [
      [['x'], /--version VERSION or --operator-version VERSION is missing/],
      [['x', '--version', '1', '--wave', '0'], /--wave must be/],
      [['x', '--version', '1', '--wave', '101%'], /--wave must be/],
      [['x', '--version', '1', '--per-cluster', 'all'], /--per-cluster must be a whole number from 1/],
    ] as const) {
      const { code, stderr } = await run('rollout', 'start', ...args);
      assert.equal(code, 2);
      assert.match(stderr, why);
    }
  });

  const startPaused = (name: string) =>
    run('rollout', 'start', name, '--version', '1.1.0', '--org', 'nobody', '--paused');
  const specOf = async (name: string) => (await fleet.client.get<FleetRollout>({ ...rollouts, name })).spec;

  test('is paused, resumed and aborted', async () => {
    await startPaused('long');
    assert.equal((await specOf('long')).paused, true);
    assert.match((await run('rollout', 'resume', 'long')).stdout, /fleetrollout\.fleet\.chandlery\.io\/long resumed/);
    assert.equal((await specOf('long')).paused, false);
    await startPaused('other');
    assert.equal((await run('rollout', 'pause', 'other')).code, 0);
    assert.equal((await specOf('other')).paused, true);
    assert.match((await run('rollout', 'abort', 'other')).stdout, /other is being aborted/);
    assert.equal((await specOf('other')).aborted, true);
  });

  test('that has ended stays as it is', async () => {
    await startPaused('over');
    await setPhase('over', { rolloutPhase: 'Aborted' });
    const { code, stderr } = await run('rollout', 'resume', 'over');
    assert.equal(code, 1);
    assert.match(stderr, /it has ended: its phase is Aborted/);
    assert.equal((await specOf('over')).paused, true);
    assert.match((await run('rollout', 'pause', 'nothing')).stderr, /there is no rollout "nothing"/);
  });

  test('moves an instance to another version during --wait', async () => {
    await fleet.reportAs('frankfurt-1', '/status', {
      conditions: [{ type: 'Ready', status: 'True' }],
      dinosaurOperator: [{ version: '1.0.0-1', ready: true, dinosaurVersions: ['1.0.0', '1.1.0'] }],
    });
    const waiting = run('rollout', 'start', 'upwards', '--version', '1.1.0', '--wait', '--timeout', '30');
    const { metadata } = await eventually(async () => {
      const found = await fleet.untilState('patient', 'ready');
      return found.status?.desired?.product === '1.1.0' && found;
    });
    const versions = { dinosaur: '1.1.0', dinosaurOperator: '1.0.0-1' };
    const conditions = [{ type: 'Ready', status: 'True' }];
    await fleet.reportAs('frankfurt-1', '/dinosaurs/status', { [metadata.name ?? '']: { conditions, versions } });
    const { code, stdout, stderr } = await waiting;
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^Progressing \(\d+ s\): 0 of 1 upgraded; wave 1 is in progress$/m);
    assert.match(stdout, /fleetrollout\.fleet\.chandlery\.io\/upwards started \(Succeeded\)/);
    assert.match((await run('instances', 'describe', 'patient')).stdout, /^Version: +1\.1\.0, operator 1\.0\.0-1$/m);
  });

  test('that stops during --wait ends the command with 1 and its message', async () => {
    await startPaused('broken');
    const instances = { abc: { state: 'failed', clusterId: 'frankfurt-1', reason: 'it crashes' } };
    await setPhase('broken', { rolloutPhase: 'Paused', message: '1 upgrade failed', total: 3, upgraded: 0, instances });
    const { code, stderr } = await run('rollout', 'status', 'broken', '--wait');
    assert.equal(code, 1);
    assert.match(stderr, /Paused \(\d+ s\): 0 of 3 upgraded; 1 upgrade failed\nError: /);
    const shown = await run('rollout', 'status', 'broken');
    assert.match(shown.stdout, /^Upgraded: +0 of 3$[\s\S]*^abc +failed +frankfurt-1 +it crashes$/m);
  });
});
