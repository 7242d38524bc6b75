import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findPage, type Page } from './find-page.ts';

const paths = ['index.html', 'app.js', 'docs/index.html', 'docs/a b.txt', 'ä/x.html', 'shell.html', 'both', 'both/x'];
const site = { files: new Map(paths.map(path => [path, path])), folders: new Set(['docs', 'ä', 'empty', 'both']) };
const html = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';

/** `file`, `fallback file`, `→ location`, or the type. */
function textOf(page: Page<string>): string {
  if (page.type === 'file') return page.isFallback ? `fallback ${page.file}` : page.file;
  return page.type === 'redirect' ? `→ ${page.location}` : page.type;
}

describe('a request without a fallback', () => {
  const cases: readonly (readonly [url: string, outcome: string])[] = [
    ['/', 'index.html'],
    ['/?a=1', 'index.html'],
    ['/index.html', 'index.html'],
    ['/app.js?v=2', 'app.js'],
    ['/docs', '→ /docs/'],
    ['/docs?a=1?b', '→ /docs/?a=1?b'],
    ['/docs/', 'docs/index.html'],
    ['/docs/a%20b.txt', 'docs/a b.txt'],
    ['/%C3%A4', '→ /%C3%A4/'],
    ['/both', 'both'],
    ['/empty/', 'missing'],
    ['/App.js', 'missing'],
    ['//docs', 'missing'],
    ['//evil.example/..', 'missing'],
    ['/docs/../index.html', 'missing'],
    ['/%2e%2e/index.html', 'missing'],
    ['/docs%2findex.html', 'docs/index.html'],
    ['/%', 'malformed'],
    ['*', 'malformed'],
    ['/%00', 'missing'],
    ['/__proto__', 'missing'],
  ];
  for (const [url, outcome] of cases)
    test(`${url} gives ${outcome}`, () =>
      assert.equal(textOf(findPage(site, { url, accept: html, fallback: undefined })), outcome));
});

describe('a request that finds nothing, with a fallback', () => {
  const cases: readonly (readonly [url: string, accept: string | undefined, outcome: string])[] = [
    ['/users/7', html, 'fallback shell.html'],
    ['/users/7', 'TEXT/HTML', 'fallback shell.html'],
    ['/users/7.png', html, 'fallback shell.html'],
    ['/users/7', '*/*', 'fallback shell.html'],
    ['/users/7', undefined, 'fallback shell.html'],
    ['/users/', '*/*', 'fallback shell.html'],
    ['/old.html', '*/*', 'fallback shell.html'],
    ['/missing.js', '*/*', 'missing'],
    ['/missing.png', undefined, 'missing'],
    ['/users/7', 'application/json', 'missing'],
    ['/users/7', 'image/avif,image/webp,*/*;q=0', 'missing'],
    ['/users/7', 'text/html;q=0, */*', 'missing'],
    ['/docs', html, '→ /docs/'],
    ['/app.js', 'application/json', 'app.js'],
  ];
  for (const [url, accept, outcome] of cases)
    test(`${url} accepting ${accept} gives ${outcome}`, () =>
      assert.equal(textOf(findPage(site, { url, accept, fallback: 'shell.html' })), outcome));
});
