import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { tempFolder } from '@chandlery/testing';
import { locateHostImages, readDocuments } from '../installation/installation.ts';
import { rename, scaffoldNames } from './scaffold-names.ts';
import { writeProvider } from './write-provider.ts';

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
});
