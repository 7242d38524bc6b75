import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isError } from '@chandlery/api';
import { fieldElement, keyElement, parseElement, printPath, sortElements, valueElement } from './field-path.ts';

describe('field paths', () => {
  const printed: readonly (readonly [readonly string[], string])[] = [
    [['f:spec', 'f:containers', 'k:{"name":"web"}', 'f:image'], '.spec.containers[name="web"].image'],
    [['f:metadata', 'f:labels', 'f:app'], '.metadata.labels.app'],
    [['f:metadata', 'f:annotations', 'f:example.com/x'], '.metadata.annotations.example.com/x'],
    [['f:ports', 'k:{"port":80,"protocol":"TCP"}'], '.ports[port=80,protocol="TCP"]'],
    [['f:metadata', 'f:finalizers', 'v:"a/b"'], '.metadata.finalizers[="a/b"]'],
    [['f:steps', 'i:3'], '.steps[3]'],
  ];
  for (const [path, text] of printed) {
    it(`prints ${text}`, () => assert.equal(printPath(path), text));
  }

  it('makes elements as Kubernetes writes them', () => {
    assert.equal(fieldElement('a.b/c'), 'f:a.b/c');
    assert.equal(
      keyElement([
        ['port', 80],
        ['protocol', 'TCP'],
      ]),
      'k:{"port":80,"protocol":"TCP"}',
    );
    assert.equal(valueElement({ b: 1, a: [true, null] }), 'v:{"a":[true,null],"b":1}');
  });

  it('makes what clients send canonical', () => {
    assert.equal(parseElement('k:{"b": 1, "a": "x"}'), 'k:{"a":"x","b":1}');
    assert.equal(parseElement('v: 1.0'), 'v:1');
    assert.equal(parseElement('i:07'), 'i:7');
    assert.equal(parseElement('x:later'), undefined);
  });

  for (const text of ['', 'f', 'spec', 'k:[1]', 'k:{', 'v:', 'i:x']) {
    it(`rejects ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => parseElement(text),
        error => isError(error, 'BadRequest'),
      );
    });
  }

  it('orders fields, keys, values, indexes, and numbers by size', () => {
    const ordered = [
      'f:a',
      'f:b',
      'k:{"port":80}',
      'k:{"port":80,"protocol":"UDP"}',
      'k:{"port":443}',
      'v:"a"',
      'v:"b"',
      'i:2',
      'i:10',
    ];
    assert.deepEqual(sortElements([...ordered].reverse()), ordered);
  });
});
