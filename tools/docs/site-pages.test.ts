import assert from 'node:assert/strict';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { navigation } from './navigation.ts';
import { sitePages, sitePictures } from './site-pages.ts';

const pages = sitePages();
const pictures = sitePictures();

test('every person has pages, and every link of a page leads to one', () => {
  const groups = navigation.filter(({ items }) => items.some(({ link }) => pages.has(`${link.slice(1)}.md`)));
  for (const person of ['Tenant', 'Operator', 'Platform owner', 'Mesh user', 'Product owner', 'Reference'])
    assert.ok(
      groups.some(({ text }) => text === person),
      `${person} has no page`,
    );
  const broken = [...pages].flatMap(([path, text]) =>
    [...text.replace(/^[ \t]*```[\s\S]*?^[ \t]*```$/gm, '').matchAll(/\]\(([^)\s#:]+)(#[^)]*)?\)/g)]
      .map(([, target = '']) => normalize(join(dirname(path), target)))
      .filter(target => !pages.has(target) && !pictures.has(target))
      .map(target => `${path}: ${target}`),
  );
  assert.deepEqual(broken, []);
});

test('pictures are shown, as they are', () => {
  assert.match(pages.get('index.md') ?? '', /!\[[^\]]+\]\(pictures\/console-home\.png\)/);
  const png = Buffer.from([0x89, ...Buffer.from('PNG')]);
  assert.deepEqual(pictures.get('pictures/console-home.png')?.subarray(0, png.length), png);
});

test('references are made from what is declared', () => {
  assert.match(pages.get('reference/commands.md') ?? '', /^## keys rotate$/m);
  assert.match(pages.get('reference/settings.md') ?? '', /`--otlp-endpoint URL`/);
  assert.match(pages.get('reference/errors.md') ?? '', /`KeysMismatch`|`Unauthorized`/);
  const kind = pages.get('reference/kinds/serviceinstances.brokers.chandlery.io.md') ?? '';
  assert.match(kind, /\| `spec\.offeringName` \| string \|/);
  assert.ok([...pages.keys()].filter(path => path.startsWith('reference/kinds/')).length > 50);
});
