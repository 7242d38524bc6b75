import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkSiteHost } from './check-host.ts';

const ownNames = new Set(['landscape.example', 'localhost', '10.0.0.1']);

describe('the host name of a site', () => {
  const accepted: readonly (readonly [given: string, name: string])[] = [
    ['site.example', 'site.example'],
    ['Site.Example.', 'site.example'],
    ['a-b.1.example.com', 'a-b.1.example.com'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['www.landscape.example', 'www.landscape.example'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
  ];
  for (const [given, name] of accepted)
    test(`${given} is accepted`, () => assert.equal(checkSiteHost(given, ownNames), name));

  const rejected: readonly (readonly [given: unknown, why: RegExp])[] = [
    ['', /fully qualified/],
    [7, /fully qualified/],
    [undefined, /fully qualified/],
    ['site', /fully qualified/],
    ['localhost', /fully qualified/],
    ['127.0.0.1', /fully qualified/],
    ['10.1', /fully qualified/],
    ['::1', /fully qualified/],
    ['[::1]', /fully qualified/],
    ['site.example:443', /fully qualified/],
    ['https://site.example', /fully qualified/],
    ['site.example/path', /fully qualified/],
    ['*.example', /fully qualified/],
    ['-a.example', /fully qualified/],
    ['a..example', /fully qualified/],
    ['bücher.example', /fully qualified/],
    [`${'a'.repeat(64)}.example`, /fully qualified/],
    [`${'a.'.repeat(130)}example`, /fully qualified/],
    ['app.localhost', /stands for this machine/],
    ['kubernetes.default.svc', /stands for this machine/],
    ['api.cluster.local', /stands for this machine/],
    ['LANDSCAPE.example', /the landscape itself/],
  ];
  for (const [given, why] of rejected)
    test(`${String(given).slice(0, 40)} is rejected`, () =>
      assert.throws(() => checkSiteHost(given, ownNames), {
        restCode: 'invalid',
        facts: given === undefined ? { name: 'controller.host' } : { name: 'controller.host', value: given },
        message: why,
      }));
});
