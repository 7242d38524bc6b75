import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { builtInKinds, isError, type JsonObject, type ProtobufMessage, reviewKinds } from '@chandlery/api';
import fc from 'fast-check';
import { decodeProtobuf } from './decode.ts';
import { protobufFinder } from './protobuf-finder.ts';
import { bytes, double, entry, envelope, number, text, varint } from './test-encoder.ts';

const findLayout = protobufFinder([...builtInKinds, ...reviewKinds]);

/** Decodes an object of a made-up kind. */
const decodeAs = (message: ProtobufMessage, raw: readonly number[]): JsonObject => {
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = decodeProtobuf(envelope('v1', 'Thing', raw), () => message);
  return rest;
};

const isBadRequest = (thrown: unknown): boolean => isError(thrown, 'BadRequest');

interface GoldenBody {
  readonly command: string;
  readonly body: string;
  readonly object: JsonObject;
}

const goldenBodies = JSON.parse(
  readFileSync(new URL('testdata/kubectl-bodies.json', import.meta.url), 'utf8'),
) as GoldenBody[];

describe('bodies that kubectl 1.32 sent', () => {
  for (const { command, body, object } of goldenBodies) {
    test(`${command} is understood`, () => {
      assert.deepEqual(decodeProtobuf(Buffer.from(body, 'base64'), findLayout), object);
    });
  }
});

interface FieldCase {
  readonly why: string;
  readonly message: ProtobufMessage;
  readonly raw: readonly number[];
  readonly gives: JsonObject;
}

const pointTime = [...number(1, 1_767_225_600), ...number(2, 123_456_789)];

const fieldCases: readonly FieldCase[] = [
  { why: 'an empty string is absent', message: { a: { number: 1, type: 'string' } }, raw: text(1, ''), gives: {} },
  { why: 'a plain zero is absent', message: { a: { number: 1, type: 'int' } }, raw: number(1, 0), gives: {} },
  { why: 'a plain false is absent', message: { a: { number: 1, type: 'bool' } }, raw: number(1, 0), gives: {} },
  {
    why: 'an explicit zero stays',
    message: { a: { number: 1, type: 'int', keepsZero: true } },
    raw: number(1, 0),
    gives: { a: 0 },
  },
  {
    why: 'an explicit false stays',
    message: { a: { number: 1, type: 'bool', keepsZero: true } },
    raw: number(1, 0),
    gives: { a: false },
  },
  {
    why: 'an explicit empty string stays',
    message: { a: { number: 1, type: 'string', keepsZero: true } },
    raw: text(1, ''),
    gives: { a: '' },
  },
  { why: 'negative numbers', message: { a: { number: 1, type: 'int' } }, raw: number(1, -5), gives: { a: -5 } },
  {
    why: 'the largest safe integer',
    message: { a: { number: 1, type: 'int' } },
    raw: number(1, Number.MAX_SAFE_INTEGER),
    gives: { a: Number.MAX_SAFE_INTEGER },
  },
  { why: 'doubles', message: { a: { number: 1, type: 'double' } }, raw: double(1, 0.5), gives: { a: 0.5 } },
  {
    why: 'bytes in base64',
    message: { a: { number: 1, type: 'bytes' } },
    raw: bytes(1, [1, 255]),
    gives: { a: 'Af8=' },
  },
  {
    why: 'times in whole seconds',
    message: { a: { number: 1, type: 'time' } },
    raw: bytes(1, pointTime),
    gives: { a: '2026-01-01T00:00:00Z' },
  },
  {
    why: 'times in microseconds',
    message: { a: { number: 1, type: 'microTime' } },
    raw: bytes(1, pointTime),
    gives: { a: '2026-01-01T00:00:00.123456Z' },
  },
  { why: 'an empty time is absent', message: { a: { number: 1, type: 'time' } }, raw: bytes(1, []), gives: {} },
  {
    why: "Go's zero time is absent",
    message: { a: { number: 1, type: 'time' } },
    raw: bytes(1, number(1, -62_135_596_800)),
    gives: {},
  },
  {
    why: 'quantities',
    message: { a: { number: 1, type: 'quantity' } },
    raw: bytes(1, text(1, '500m')),
    gives: { a: '500m' },
  },
  {
    why: 'an integer of two kinds',
    message: { a: { number: 1, type: 'intOrString' } },
    raw: bytes(1, [...number(1, 0), ...number(2, 80), ...text(3, '')]),
    gives: { a: 80 },
  },
  {
    why: 'a string of two kinds',
    message: { a: { number: 1, type: 'intOrString' } },
    raw: bytes(1, [...number(1, 1), ...number(2, 0), ...text(3, '25%')]),
    gives: { a: '25%' },
  },
  {
    why: 'a plain zero of two kinds is absent',
    message: { a: { number: 1, type: 'intOrString' } },
    raw: bytes(1, [...number(1, 0), ...number(2, 0), ...text(3, '')]),
    gives: {},
  },
  {
    why: 'an explicit zero of two kinds stays',
    message: { a: { number: 1, type: 'intOrString', keepsZero: true } },
    raw: bytes(1, [...number(1, 0), ...number(2, 0), ...text(3, '')]),
    gives: { a: 0 },
  },
  {
    why: 'raw JSON',
    message: { a: { number: 1, type: 'json' } },
    raw: bytes(1, text(1, '{"f:x":{}}')),
    gives: { a: { 'f:x': {} } },
  },
  {
    why: 'lists',
    message: { a: { number: 1, type: 'string', repeated: true } },
    raw: [...text(1, 'x'), ...text(1, '')],
    gives: { a: ['x', ''] },
  },
  {
    why: 'packed numbers',
    message: { a: { number: 1, type: 'int', repeated: true } },
    raw: [...bytes(1, [...varint(1), ...varint(300)]), ...number(1, 0)],
    gives: { a: [1, 300, 0] },
  },
  {
    why: 'maps, also with entries that leave out their value',
    message: { a: { number: 1, type: 'string', map: true } },
    raw: [...entry(1, 'k', text(2, 'v')), ...entry(1, 'e', [])],
    gives: { a: { k: 'v', e: '' } },
  },
  {
    why: 'maps to lists',
    message: { a: { number: 1, type: 'stringList', map: true } },
    raw: entry(1, 'k', bytes(2, [...text(1, 'x'), ...text(1, 'y')])),
    gives: { a: { k: ['x', 'y'] } },
  },
  {
    why: 'an empty message is an object',
    message: { a: { number: 1, type: { b: { number: 1, type: 'int' } } } },
    raw: bytes(1, []),
    gives: { a: {} },
  },
  {
    why: 'inlined messages',
    message: { a: { number: 1, type: { b: { number: 1, type: 'int' } }, inline: true } },
    raw: bytes(1, number(1, 7)),
    gives: { b: 7 },
  },
  {
    why: 'unknown fields of every wire type are passed over',
    message: { a: { number: 1, type: 'int' } },
    raw: [...number(2, 5), ...text(3, 'x'), ...double(4, 1), ...varint(5 * 8 + 5), 0, 0, 0, 0, ...number(1, 9)],
    gives: { a: 9 },
  },
];

describe('fields', () => {
  for (const { why, message, raw, gives } of fieldCases) {
    test(`${why}`, () => assert.deepEqual(decodeAs(message, raw), gives));
  }

  test('options of a deletion come in the version of what is deleted', () => {
    const body = envelope('apps/v1', 'DeleteOptions', [...number(1, 0), ...text(4, 'Background')]);
    assert.deepEqual(decodeProtobuf(body, findLayout), {
      apiVersion: 'apps/v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: 0,
      propagationPolicy: 'Background',
    });
  });

  test('a key called __proto__ is a key like any other', () => {
    const decoded = decodeAs({ a: { number: 1, type: 'string', map: true } }, entry(1, '__proto__', text(2, 'v')));
    assert.equal(JSON.stringify(decoded), '{"a":{"__proto__":"v"}}');
  });

  test('the schema of a definition is understood, unions and all', () => {
    const leaf = bytes(2, text(5, 'string'));
    const schema = [
      ...text(5, 'object'),
      ...entry(29, 'tags', bytes(2, [...text(5, 'array'), ...bytes(24, bytes(1, text(5, 'string')))])),
      ...entry(29, 'any', bytes(2, bytes(30, number(1, 0)))),
      ...entry(29, 'map', bytes(2, bytes(30, [...number(1, 1), ...leaf]))),
      ...number(38, 1),
      ...bytes(20, text(1, '"x"')),
      ...bytes(8, text(1, '{"tags":[]}')),
      ...double(11, 0),
    ];
    const version = [...text(1, 'v1'), ...number(2, 1), ...number(3, 0), ...bytes(4, bytes(1, schema))];
    const body = envelope('apiextensions.k8s.io/v1', 'CustomResourceDefinition', bytes(2, bytes(7, version)));
    assert.deepEqual(decodeProtobuf(body, findLayout)['spec'], {
      versions: [
        {
          name: 'v1',
          served: true,
          storage: false,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                tags: { type: 'array', items: { type: 'string' } },
                any: { additionalProperties: false },
                map: { additionalProperties: { type: 'string' } },
              },
              'x-kubernetes-preserve-unknown-fields': true,
              enum: ['x'],
              default: { tags: [] },
              minimum: 0,
            },
          },
        },
      ],
    });
  });
});

const nested: ProtobufMessage = { a: { number: 1, type: () => nested }, s: { number: 2, type: 'string' } };

const nest = (depth: number): number[] => {
  let raw: number[] = [];
  for (let level = 0; level < depth; level += 1) raw = bytes(1, raw);
  return raw;
};

describe('bodies that are not what they should be', () => {
  const cases: readonly (readonly [string, Uint8Array])[] = [
    ['nothing at all', new Uint8Array()],
    ['JSON', new TextEncoder().encode('{"kind":"Pod"}')],
    ['a field that is longer than the body', Uint8Array.from([0x6b, 0x38, 0x73, 0, 0x0a, 0x7f, 1])],
    ['a length beyond all bounds', Uint8Array.from([0x6b, 0x38, 0x73, 0, 0x12, ...varint(2 ** 34)])],
    ['a varint without end', Uint8Array.from([0x6b, 0x38, 0x73, 0, ...Array<number>(20).fill(0xff)])],
    ['field number 0', envelope('v1', 'Thing', [0])],
    ['a group', envelope('v1', 'Thing', [...varint(9 * 8 + 3)])],
    ['a string that is not UTF-8', envelope('v1', 'Thing', bytes(2, [0xff]))],
    ['a number where a string belongs', envelope('v1', 'Thing', number(2, 1))],
    ['a string where a message belongs', envelope('v1', 'Thing', double(1, 1))],
    ['endless nesting', envelope('v1', 'Thing', nest(2000))],
  ];
  for (const [why, body] of cases) {
    test(`${why} is a bad request`, () => {
      assert.throws(() => decodeProtobuf(body, () => nested), isBadRequest);
    });
  }

  test('a time out of range is a bad request', () => {
    const message: ProtobufMessage = { a: { number: 1, type: 'time' } };
    assert.throws(() => decodeAs(message, bytes(1, number(1, 2n ** 62n))), isBadRequest);
  });

  test('broken JSON inside is a bad request', () => {
    const message: ProtobufMessage = { a: { number: 1, type: 'json' } };
    assert.throws(() => decodeAs(message, bytes(1, text(1, '{'))), isBadRequest);
  });

  test('an unknown kind is rejected with the request to send JSON', () => {
    const body = envelope('example.org/v1', 'Widget', []);
    assert.throws(
      () => decodeProtobuf(body, findLayout),
      thrown => isError(thrown, 'UnsupportedMediaType'),
    );
  });

  test('no bytes whatsoever do anything but decode or be a bad request', () => {
    const seeds = goldenBodies.map(({ body }) => Buffer.from(body, 'base64'));
    const damaged = fc.tuple(fc.constantFrom(...seeds), fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 6 }));
    fc.assert(
      fc.property(damaged, fc.nat(400), ([seed, changes], length) => {
        const body = Uint8Array.from(seed).slice(0, Math.max(4, length));
        for (const [position, value] of changes) if (position >= 4) body[position % body.length] = value;
        try {
          decodeProtobuf(body, findLayout);
        } catch (thrown) {
          assert.ok(isError(thrown, 'BadRequest', 'UnsupportedMediaType'), String(thrown));
        }
      }),
    );
  });
});
