import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { jsonToYaml } from './json-to-yaml.ts';

test('short JSON becomes YAML in block style', () => {
  assert.equal(
    jsonToYaml(Buffer.from('{"a":[1,"x"],"b":9223372036854775807}')).toString(),
    'a:\n  - 1\n  - x\nb: 9223372036854775807\n',
  );
});

test('long JSON stays as it is, which is YAML too', () => {
  const object = {
    data: Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key${index}`, ': - #\n'.repeat(20)])),
  };
  const yaml = jsonToYaml(Buffer.from(JSON.stringify(object)));
  assert.equal(yaml.toString(), JSON.stringify(object));
  assert.deepEqual(parse(yaml.toString()), object);
});
