import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { tempFolder } from '@chandlery/testing';
import { locateHostImages, readDocuments, readInstallation } from '../installation/installation.ts';
import { rename, scaffoldNames } from './scaffold-names.ts';
import { writeProvider } from './write-provider.ts';

interface Workload extends KubeObject {
  readonly spec: { template: { spec: { containers: readonly { image: string; args: readonly string[] }[] } } };
}

describe('The name of a new provider', () => {
  it('appears as text, as an identifier and as a kind', () => {
    const names = scaffoldNames('ice-cream');
    assert.deepEqual(names, { kebab: 'ice-cream', camel: 'iceCream', pascal: 'IceCream' });
    assert.equal(
      rename('a.ts', "const sampleItems: Sample = f('sample-items', `a sample`);", names),
      "const iceCreamItems: IceCream = f('ice-cream-items', `a ice-cream`);",
    );
    assert.equal(rename('a.yaml', 'kind: Sample\nname: sample', names), 'kind: IceCream\nname: ice-cream');
  });

  for (const name of ['', 'Ice', 'ice_cream', '-ice', 'ice-', 'ice--cream', '1ce', 'a'.repeat(31), '../ice']) {
    it(`cannot be "${name}"`, () => {
      assert.throws(() => scaffoldNames(name), { code: 'NameInvalid' });
    });
  }
});

describe('A new provider', () => {
  it('is written into a folder of its own, and never over something', async () => {
    await using folder = await tempFolder();
    const place = folder.join('ice-cream');
    const files = writeProvider(place, scaffoldNames('ice-cream'));
    for (const file of files) {
      assert.ok(!/sample|\{\{/i.test(readFileSync(folder.join('ice-cream', file), 'utf8')), `${file} is renamed whole`);
    }
    assert.throws(() => writeProvider(place, scaffoldNames('ice-cream')), { code: 'FolderNotEmpty' });
  });

  it('has no path of this machine in it, so that it can be committed', async () => {
    await using folder = await tempFolder();
    const place = folder.join('ice-cream');
    for (const file of writeProvider(place, scaffoldNames('ice-cream'))) {
      const text = readFileSync(folder.join('ice-cream', file), 'utf8');
      assert.ok(!text.includes(folder.path) && !/file:|\/packages\//.test(text), file);
    }
    const objects = readDocuments(folder.join('ice-cream', 'install.yaml'), 'Missing');
    const folders = locateHostImages(objects, place).map(({ spec }) => (spec as { folder?: string }).folder);
    assert.deepEqual(folders, [place, place, undefined], 'they are absolute when it is installed');
  });

  it('runs the same image elsewhere', async () => {
    await using folder = await tempFolder();
    const place = folder.join('ice-cream');
    writeProvider(place, scaffoldNames('ice-cream'));
    const { provider } = readInstallation(place);
    const workloads = readDocuments(folder.join('ice-cream', 'deployment.yaml'), 'Missing') as readonly Workload[];
    const containers = workloads.flatMap(({ spec }) => spec.template.spec.containers);
    assert.deepEqual(
      containers.map(({ image, args }) => [image, ...args]),
      ['init', 'run'].map(part => [provider.spec.image, part, '--provider-name=ice-cream']),
    );
  });

  it('is found by the path of its folder, as examples name it', () => {
    const image = { apiVersion: 'clusters.chandlery.io/v1alpha1', kind: 'HostImage', metadata: { name: 'a' } };
    const at = (given: string): unknown =>
      (
        locateHostImages([{ ...image, spec: { folder: given } }], '/src/examples/hello')[0]?.['spec'] as {
          folder: string;
        }
      ).folder;
    assert.equal(at('examples/hello'), '/src/examples/hello');
    assert.equal(at('../shared'), '/src/examples/shared');
    assert.equal(at('examples/other'), 'examples/other');
    assert.equal(at('/opt/other'), '/opt/other');
  });
});
