import assert from 'node:assert/strict';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openStore, type StoreOptions } from '@chandlery/kernel';
import { eventually, freePorts, type RunningProcess, runProcess, startPostgres, tempFolder } from '@chandlery/testing';
import { type Person, personWith } from '../scenarios/provider-validation/support/people.ts';
import { createCaller } from '../security/support/caller.ts';
import { takeStableCensus } from '../security/support/census.ts';
import {
  beforeDataFormat,
  checkOutEarlier,
  present,
  runVersion,
  startVersion,
  whyNoHistory,
} from './support/earlier-version.ts';

const examples = join(present, 'examples/first-minute');
const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'kept', namespace: 'default' } };

/** What the earlier version has written in either store, and what the present one must make of it. */
function describeStore(
  name: string,
  openDatabase: (closing: AsyncDisposableStack) => Promise<string | undefined>,
): void {
  describe(`Data of an earlier version in ${name}`, () => {
    const closing = new AsyncDisposableStack();
    let home: string;
    let earlier: string;
    let database: string | undefined;
    let flags: readonly string[];
    let url: string;
    let server: RunningProcess;
    let onboarding: Person;
    let had: readonly string[];

    const data = (file: string): string => join(home, 'data', file);
    const command = (version: string, ...args: readonly string[]): Promise<void> =>
      runVersion(version, [...args, '--data-dir', join(home, 'data')], home);
    const census = async (): Promise<readonly string[]> => {
      const ca = await readFile(data('ca.crt'), 'utf8');
      const token = (await readFile(data('admin.token'), 'utf8')).trim();
      await using admin = createCaller({ url, ca }, { token });
      return await takeStableCensus(admin);
    };

    before(async () => {
      const folder = closing.use(await tempFolder());
      home = await realpath(folder.path);
      earlier = join(home, 'earlier');
      database = await openDatabase(closing);
      await checkOutEarlier(earlier, beforeDataFormat);
      const [port, xdsPort] = await freePorts(2);
      url = `https://127.0.0.1:${port}`;
      const storage = database === undefined ? [] : ['--database', database];
      flags = ['--data-dir', join(home, 'data'), '--port', `${port}`, '--xds-port', `${xdsPort}`, ...storage];
      server = await startVersion(earlier, flags, home);
      closing.defer(() => server[Symbol.asyncDispose]());
      onboarding = personWith(data('admin.kubeconfig'), 'onboarding');
      await onboarding.apply({ ...secret, stringData: { password: 'of then' } });
      await command(earlier, 'clusters', 'create', 'team');
      const team = personWith(data('admin.kubeconfig'), 'team');
      await team.apply(await readFile(join(examples, 'crd.yaml'), 'utf8'));
      await team.run('wait', '--for=condition=Established', 'crd', '--all', '--timeout=30s');
      await team.apply(await readFile(join(examples, 'boat.yaml'), 'utf8'));
      await command(earlier, 'service', 'apply', join(examples, 'hello.yaml'));
      await command(earlier, 'order', 'create', 'hello', '-p', 'who=Ann', '--wait');
      await command(earlier, 'fleet', 'instances', 'create', 'rex', '--org', 'acme', '--user', 'ann', '--wait');
      had = await census();
      await server.stop();
    });
    after(() => closing.disposeAsync());

    it('is all there in the present version, with its identities', async () => {
      server = await startVersion(present, flags, home);
      const has = new Set(await census());
      assert.deepEqual(
        had.filter(entry => !has.has(entry)),
        [],
      );
      assert.ok(had.some(entry => entry.includes('default/kept')) && had.some(entry => entry.startsWith('team ')));
    });

    it('has the built-in roles of the present version in all of its clusters', async () => {
      for (const cluster of ['onboarding', 'platform', 'team'])
        await eventually(
          async () => {
            const role = ['get', 'clusterrole', 'system:basic-user', '-o', 'jsonpath={.rules[*].resources}'];
            const resources = await personWith(`${home}/data/admin.kubeconfig`, cluster).run(...role);
            return resources.includes('selfsubjectreviews') && resources.includes('objectsearches');
          },
          { what: `the role in ${cluster} to be brought up to date` },
        );
    });

    it('can be read and changed', async () => {
      const kept = await onboarding.run('get', 'secret', 'kept', '-o', 'jsonpath={.data.password}');
      assert.equal(Buffer.from(kept, 'base64').toString(), 'of then');
      await onboarding.run('patch', 'secret', 'kept', '--type=merge', '-p', '{"stringData":{"password":"of now"}}');
      await command(present, 'order', 'logs', '@latest');
      await command(present, 'order', 'create', 'hello', '-p', 'who=Bob', '--wait');
      await command(present, 'fleet', 'instance', 'delete', 'rex', '--yes', '--wait');
      await command(present, 'cluster', 'delete', 'team', '--yes');
      await server.stop();
    });

    it('is not opened by a version that is older than its format', async () => {
      const options: StoreOptions =
        database === undefined ? { type: 'sqlite', folder: join(home, 'data') } : { type: 'postgres', url: database };
      {
        await using store = await openStore(options);
        assert.match((await store.facts.get('landscape.format.1')) ?? '', /^\d/, 'the present version noted its own');
        assert.equal(await store.facts.get('landscape.format.2'), undefined, 'no certificate authority was rotated');
        await store.facts.putIfAbsent('landscape.format.3', '9.0.0');
      }
      const start = [join(present, 'apps/cli/bin/chandlery.mjs'), 'up', ...flags];
      const { code, stderr } = await runProcess(process.execPath, start, { cwd: home });
      assert.equal(code, 1);
      assert.match(stderr, /the data was written by version 9\.0\.0[\s\S]*Next: +Start version 9\.0\.0/);
    });
  });
}

const why = await whyNoHistory(beforeDataFormat);
if (why === undefined) {
  describeStore('SQLite', async () => undefined);
  describeStore('PostgreSQL', async closing => closing.use(await startPostgres()).url);
} else {
  it('Data of an earlier version', { skip: why }, () => {});
}
