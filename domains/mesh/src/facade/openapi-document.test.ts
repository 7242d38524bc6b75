import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { accountPath } from './account-route.ts';
import { documentedRoutes } from './openapi-document.ts';

test('the document has every route of the mesh', () => {
  const source = readdirSync(import.meta.dirname).map(file => readFileSync(join(import.meta.dirname, file), 'utf8'));
  const served = source.flatMap(text => {
    const constant = /const path = '(\/mesh\/[^']+)'/.exec(text)?.[1];
    const routes = [...text.matchAll(/app\.(get|post)\((?:'(\/mesh\/[^']+)'|`\$\{accountPath\}([^`]+)`|path,)/g)];
    return routes.flatMap(([, method, path = constant, rest]) => {
      const whole = rest === undefined ? path : accountPath + rest;
      return whole === undefined ? [] : [`${method} ${whole}`];
    });
  });
  const documented = documentedRoutes.map(({ method, path }) => `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`);
  assert.deepEqual(documented.toSorted(), served.toSorted());
});
